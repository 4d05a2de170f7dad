import type { StreamInput } from '../../../../shared/contract.ts'
import { sayDuration } from '../../../../shared/duration.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { withIsoTimes } from '../../../../shared/lease.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { planOutcome } from '../../../../shared/plan-words.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import {
  MOST_STRAYS,
  type PassedStep,
  type Side,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
} from '../../../../shared/switch.ts'
import { providerDifferences } from '../../../../shared/switch-providers.ts'
import { reachedAt, seenAfterRestart, stepNumber } from '../../../../shared/switch-steps.ts'
import {
  namedApart,
  PROVIDER_VARIABLE,
  providerLine,
  remainingSentence,
  STEP_WORDS,
} from '../../../../shared/switch-words.ts'
import { textPieces } from '../../lib/json-size.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { type Block, type Cell, code, entry, heading, notice, quiet, table, text } from '../reports/block.ts'
import { cutData } from '../reports/escape.ts'
import { holderCell, iso, numberCell, sayTime, timeCell } from '../reports/words.ts'
import { documentOf } from '../reports/writers.ts'
import type { SwitchRuns } from './switch-runs.ts'

type ReportInput = StreamInput<'switch.report'>

export type ReportSources = {
  readonly runs: SwitchRuns
  readonly plans: { list(): Promise<PlanSummary[]> }
  readonly version: string
}

/** The report of a switch, finished or not. */
export async function* writeReport(
  { runs, plans, version }: ReportSources,
  { switchId, as }: ReportInput,
): AsyncIterable<{ text: string }> {
  await runs.ready
  const run = runs.bound(runs.find(switchId))
  const now = await runs.now(switchId)
  const kept = run.planIds.length === 0 ? [] : await plans.list()
  const made = run.planIds.flatMap(planId => kept.find(plan => plan.planId === planId) ?? [])
  const { user, host } = whoIsHere()
  const document = { run, now, plans: made, at: Date.now(), by: { user, host }, version }
  for (const text of textPieces(reportText(document, as))) yield { text }
}

export type SwitchDocument = {
  readonly run: SwitchRun
  readonly now: SwitchNow
  /** The plans that are still kept. */
  readonly plans: readonly PlanSummary[]
  readonly at: number
  readonly by: { readonly user: string; readonly host: string }
  readonly version: string
}

export function reportText(document: SwitchDocument, as: ReportInput['as']): string {
  if (as === 'json') return `${safeJson(asJson(document), 1)}\n`
  const run = namedApart(document.run)
  return documentOf(as, titleOf(run), document.version, [...blocksOf({ ...document, run })])
}

function asJson({ run, now, plans, at, by, version }: SwitchDocument) {
  return {
    tool: { name: 'lockkeeper', version },
    written: { at: iso(at), by },
    switch: withIsoTimes(run),
    now: withIsoTimes(now),
    plans: plans.map(({ planId, createdAt, count, filter, progress: { state, counts, reason } }) => {
      return { planId, createdAt: iso(createdAt), count, filter, state, counts, reason }
    }),
  }
}

/** In reading order. */
function* blocksOf(document: SwitchDocument): Iterable<Block> {
  const { run } = document
  yield* opening(document)
  yield heading('Steps')
  yield stepTable(run)
  yield heading('The provider')
  yield providerBlock(run)
  if (run.planIds.length > 0) yield* planBlocks(document)
  yield* strayBlocks(run)
  yield* overlapBlocks(run)
  yield* remainsBlocks(document)
  yield* differenceBlocks(document)
}

function titleOf({ from, to }: SwitchRun): string {
  return `Locks from ${from.storeName} to ${to.storeName}`
}

function* opening({ run, at, by, version }: SwitchDocument): Iterable<Block> {
  const { ended } = run
  yield { is: 'title', text: titleOf(run), under: 'Report of a change of lock providers' }
  if (ended === null) yield notice('warn', 'This switch is not finished.')
  if (ended?.how === 'abandoned')
    yield notice('danger', 'This switch was abandoned: the steps below show where it stopped.')
  const despite = finishedDespite(run)
  if (despite !== null) yield notice('danger', despite)
  const byHand = run.passed.filter(({ checked }) => !checked).length
  if (byHand > 0)
    yield notice('warn', `${plural(byHand, 'step was', 'steps were')} passed by hand, without the check.`)
  yield {
    is: 'facts',
    facts: [
      ['From', { text: sayStore(run.from) }],
      ['To', { text: sayStore(run.to) }],
      ['Started', { text: `${sayAt(run.begunAt)} by ${run.by}` }],
      ['State', { text: sayState(run) }],
      ['Counts as quiet after', { text: sayDuration(run.quietMs, { tenths: false }) }],
      ['Switch', code(run.switchId)],
      ['Written', { text: `${sayAt(at)} by ${by.user} on ${by.host}, with Lockkeeper ${version}` }],
      ['Clock', { text: `Times are UTC by the clock of ${by.host}.` }],
    ],
  }
}

/** The strays and overlaps themselves are listed below, in full. */
function finishedDespite(run: SwitchRun): string | null {
  const { strays, splits } = seenAfterRestart(run)
  const seen = [
    strays.length > 0 && `${plural(strays.length, 'lock was', 'locks were')} acquired in the old store`,
    splits.length > 0 && `${plural(splits.length, 'name was', 'names were')} held in both stores at once`,
  ].filter(Boolean)
  if (run.ended?.how !== 'finished' || seen.length === 0) return null
  return `This switch was finished although ${seen.join(' and ')} after the workers had been started again: a worker may still use the old provider.`
}

function sayState({ ended, step }: SwitchRun): string {
  if (ended === null) return `under way, at the step "${STEP_WORDS[step].title}"`
  const reason = ended.reason === null ? '' : `: ${ended.reason}`
  return `${ended.how} ${sayAt(ended.at)} by ${ended.by}${reason}`
}

/** The steps that were passed or gone back to, in order of time, and those to come. */
function stepTable(run: SwitchRun): Block {
  const passed = run.passed.map(each => ({ ...each, how: howPassed(each) }))
  // Without them, a step that was passed twice would look like a mistake.
  const back = run.wentBack.map(each => ({ ...each, how: { text: 'gone back to', tone: 'warn' as const } }))
  const done = [...passed, ...back]
    .sort((one, other) => one.at - other.at)
    .map(each => ({ ...each, when: timeCell(iso(each.at)) }))
  const open = run.ended === null ? SWITCH_STEPS.slice(stepNumber(run.step) - 1) : []
  const toCome = open.map(step => {
    const since = `open since ${sayAt(reachedAt(run, step) ?? run.begunAt)}`
    return { step, when: quiet(step === run.step ? since : 'not yet') }
  })
  const rows: readonly (Partial<(typeof passed)[number]> & (typeof toCome)[number])[] = [...done, ...toCome]
  return table('Steps', rows, [
    ['Step', 18, ({ step }) => STEP_WORDS[step].title],
    ['When', 18, ({ when }) => when],
    ['By', 12, ({ by }) => by ?? ''],
    ['How', 16, ({ how }) => how ?? ''],
    ['Why', 24, ({ reason }) => reason ?? ''],
    ['Held in old', 9, ({ fromHeld }) => (fromHeld === undefined ? '' : numberCell(fromHeld)), 'right'],
    ['Held in new', 9, ({ toHeld }) => (toHeld === undefined ? '' : numberCell(toHeld)), 'right'],
  ])
}

function howPassed({ step, checked, quietMs }: PassedStep): Cell {
  if (!checked) return { text: 'by hand', tone: 'warn' }
  // The quiet time at that moment: the operator may have changed it since.
  const isAboutQuiet = (step === 'stop' || step === 'verify') && quietMs !== undefined
  const quietFor = isAboutQuiet ? `: quiet for ${sayDuration(quietMs, { tenths: false })}` : ''
  return { text: `its check was met${quietFor}`, tone: 'live' }
}

function providerBlock(run: SwitchRun): Block {
  const line = providerLine(run)
  if (line === null)
    return text(
      `Both stores are ${kindOf(run.to.kind).label}: ${PROVIDER_VARIABLE} stays as it is, and the connection was changed by hand.`,
    )
  if (run.envChanges.length === 0) return text(`Lockkeeper changed no file. Programs need ${line}.`)
  return table('Changes of files', run.envChanges, [
    ['When', 16, ({ at }) => timeCell(iso(at))],
    ['By', 10, ({ by }) => by],
    ['File', 26, ({ file }) => code(file)],
    [`${PROVIDER_VARIABLE} before`, 14, ({ before }) => (before === null ? quiet('not set') : code(before))],
    ['After', 14, ({ after }) => code(after)],
    ['As it was', 30, ({ copy }) => code(copy)],
  ])
}

function* planBlocks({ run, plans }: SwitchDocument): Iterable<Block> {
  yield heading('Release plans')
  const rows = run.planIds.map(planId => ({ planId, plan: plans.find(each => each.planId === planId) }))
  yield table('Release plans', rows, [
    ['Plan', 14, ({ planId }) => code(planId)],
    ['Made', 16, ({ plan }) => (plan ? timeCell(iso(plan.createdAt)) : '')],
    ['Locks', 8, ({ plan }) => (plan ? numberCell(plan.count) : ''), 'right'],
    ['Why', 20, ({ plan }) => plan?.progress.reason ?? ''],
    ['Outcome', 40, ({ plan }) => sayOutcome(plan)],
  ])
  yield text('The audit log lists every lock of a plan by the id of the plan.', true)
}

function sayOutcome(plan: PlanSummary | undefined): string {
  if (!plan) return 'no longer kept'
  return plan.progress.state === 'ready' ? 'never applied' : planOutcome(plan.progress)
}

function* strayBlocks({ strays }: SwitchRun): Iterable<Block> {
  yield heading('Acquired in the old store after its workers counted as stopped')
  if (strays.length === 0) return yield text('No acquisition was observed.')
  yield notice('warn', 'A worker was not stopped, or still had the old provider.')
  if (strays.length >= MOST_STRAYS)
    yield text(`Only ${sayNumber(MOST_STRAYS)} were kept: there may have been more.`)
  yield table('Strays', strays, [
    ['When', 18, ({ at }) => timeCell(iso(at))],
    ['Lock', 40, ({ key }) => code(cutData(key))],
    ['Holder', 40, ({ holder }) => holderCell(holder)],
  ])
}

function* overlapBlocks({ splits, ended }: SwitchRun): Iterable<Block> {
  yield heading('Held in both stores at once')
  if (splits.length === 0) return yield text('No overlap was observed.')
  yield notice('danger', 'The same job may have run twice at these times.')
  // A switch that has ended is not watched: the overlap may have continued.
  const open = ended === null ? 'the end of this report' : `${sayAt(ended.at)} or later`
  const sayEnd = (until: number | null) => (until === null ? open : sayAt(until))
  yield table('Splits', splits, [
    ['Name', 30, ({ name }) => code(cutData(name))],
    ['From, to', 24, ({ since, until }) => ({ text: `${sayAt(since)} to ${sayEnd(until)}`, as: 'time' })],
    ['Holder in old', 24, ({ fromHolder }) => holderCell(fromHolder)],
    ['Holder in new', 24, ({ toHolder }) => holderCell(toHolder)],
  ])
}

function* remainsBlocks({ run, now }: SwitchDocument): Iterable<Block> {
  const { held, expired } = now.from
  yield heading('Remaining in the old store')
  if (held === null || expired === null)
    yield text(`${run.from.storeName} cannot be read now, so this is unknown.`)
  else if (held === 0 && expired === 0) yield text('Nothing.')
  else
    yield text(
      `${plural(held, 'lock is', 'locks are')} held, and ${plural(expired, 'expired one is', 'expired ones are')} still stored.`,
    )
  if (now.remaining.length > 0)
    yield entry('Still held', {
      isOurs: true,
      tags: [quiet('and why')],
      list: now.remaining.map(each => remainingSentence(each, now.at)),
    })
}

function* differenceBlocks({ run, now }: SwitchDocument): Iterable<Block> {
  const { numbers, means } = providerDifferences(run, now)
  yield heading('How the two differ')
  yield table('Numbers of both', numbers, [
    ['Now', 30, ({ what }) => what],
    [run.from.storeName, 35, each => each.from ?? 'not known'],
    [run.to.storeName, 35, each => each.to ?? 'not known'],
  ])
  for (const each of means) yield text(each)
  yield { is: 'beside', blocks: [run.from, run.to].map(providerEntry) }
}

function providerEntry({ storeName, kind }: Side): Block {
  const { label, advantages, considerations } = kindOf(kind)
  return entry(storeName, {
    tags: [quiet(label)],
    texts: [`Advantages: ${advantages.join(' ')}`, `Considerations: ${considerations.join(' ')}`],
  })
}

function sayStore({ storeName, kind, address }: Side): string {
  return `${storeName}, ${kindOf(kind).label} at ${address}`
}

function sayAt(at: number): string {
  return sayTime(iso(at))
}
