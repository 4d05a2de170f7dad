import { sayDuration } from '../../../../shared/duration.ts'
import { plural } from '../../../../shared/numbers.ts'
import { planOutcome } from '../../../../shared/plan-words.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import type { SwitchNow } from '../../../../shared/switch.ts'
import {
  type PassedStep,
  type Side,
  SWITCH_STEPS,
  type SwitchRun,
  type SwitchStep,
} from '../../../../shared/switch.ts'
import { PROVIDER_FACTS, providerDifferences } from '../../../../shared/switch-providers.ts'
import { isSeenAfterRestart, reachedAt } from '../../../../shared/switch-steps.ts'
import {
  PROVIDER_VARIABLE,
  providerLine,
  remainingSentence,
  STEP_WORDS,
} from '../../../../shared/switch-words.ts'
import type { Block, Cell } from '../reports/block.ts'
import { heading, notice, numberCell, sideCell, text, when } from './outline-parts.ts'
import { finishedAlthough, splitBlocks, strayBlocks } from './outline-trouble.ts'

/** What a report of a switch is made of. */
export type SwitchDocument = {
  readonly run: SwitchRun
  /** What is so when it is written. */
  readonly now: SwitchNow
  /** Those that are still kept, in the order in which they were made. */
  readonly plans: readonly PlanSummary[]
  readonly at: number
  readonly by: { readonly user: string; readonly host: string }
  readonly version: string
}

/** The report of a switch, in the order in which it is read. */
export function switchBlocks(document: SwitchDocument): Block[] {
  const { run } = document
  return [
    ...opening(document),
    ...stepBlocks(run),
    ...envBlocks(run),
    ...planBlocks(document),
    ...strayBlocks(run),
    ...splitBlocks(run),
    ...remainsBlocks(document),
    ...differenceBlocks(document),
  ]
}

export function switchTitle({ from, to }: Pick<SwitchRun, 'from' | 'to'>): string {
  return `Locks from ${from.storeName} to ${to.storeName}`
}

const WAYS = { finished: 'finished', abandoned: 'abandoned' } as const

function opening({ run, at, by, version }: SwitchDocument): Block[] {
  const { ended } = run
  const end =
    ended === null
      ? `under way, at the step "${STEP_WORDS[run.step].title}"`
      : `${WAYS[ended.how]} ${when(ended.at)} by ${ended.by}${ended.reason === null ? '' : `: ${ended.reason}`}`
  const byHand = run.passed.filter(({ checked }) => !checked).length
  return [
    { is: 'title', text: switchTitle(run), under: 'Report of a change of lock providers' },
    ...(ended?.how === 'abandoned'
      ? [notice('danger', 'This switch was abandoned: see below at which step, and what is as it was.')]
      : ended === null
        ? [notice('warn', 'This switch is not finished.')]
        : []),
    ...(ended?.how === 'finished' && isSeenAfterRestart(run)
      ? [notice('danger', finishedAlthough(run))]
      : []),
    ...(byHand > 0
      ? [notice('warn', `${plural(byHand, 'step was', 'steps were')} passed by hand, without the check.`)]
      : []),
    {
      is: 'facts',
      facts: [
        ['From', sideCell(run.from)],
        ['To', sideCell(run.to)],
        ['Begun', { text: `${when(run.begunAt)} by ${run.by}` }],
        ['State', { text: end }],
        ['Counts as quiet after', { text: sayDuration(run.quietMs, { tenths: false }) }],
        ['Switch', { text: run.switchId, as: 'code' }],
        ['Written', { text: `${when(at)} by ${by.user} on ${by.host}, with Lockkeeper ${version}` }],
        ['Clock', { text: `Times are UTC by the clock of ${by.host}.` }],
      ],
    },
  ]
}

function stepBlocks(run: SwitchRun): Block[] {
  const open = run.ended === null ? SWITCH_STEPS.slice(SWITCH_STEPS.indexOf(run.step)) : []
  return [
    { is: 'heading', text: 'Steps', level: 2 },
    {
      is: 'table',
      name: 'Steps',
      columns: [
        { title: 'Step', share: 18 },
        { title: 'When', share: 18 },
        { title: 'By', share: 12 },
        { title: 'How', share: 16 },
        { title: 'Why', share: 24 },
        { title: 'Held in old', align: 'right', share: 9 },
        { title: 'Held in new', align: 'right', share: 9 },
      ],
      rows: [
        ...[...run.passed.map(passedRow), ...run.wentBack.map(backRow)]
          .sort((one, other) => one.at - other.at)
          .map(({ cells }) => cells),
        ...open.map((step): Cell[] => [
          { text: STEP_WORDS[step].title },
          {
            text: step === run.step ? `open since ${when(reachedAt(run, step) ?? run.begunAt)}` : 'not yet',
            tone: 'quiet',
          },
          ...Array.from({ length: 5 }, () => ({ text: '' })),
        ]),
      ],
    },
  ]
}

type Row = { readonly at: number; readonly cells: Cell[] }

/** Whose checks are about how long it was quiet. */
const ABOUT_QUIET: readonly SwitchStep[] = ['stop', 'verify']

function passedRow(passed: PassedStep): Row {
  const { step, at, by, checked, reason, fromHeld, toHeld, quietMs } = passed
  // It may have been set otherwise since.
  const quiet =
    ABOUT_QUIET.includes(step) && quietMs !== undefined
      ? `: quiet for ${sayDuration(quietMs, { tenths: false })}`
      : ''
  return {
    at,
    cells: [
      { text: STEP_WORDS[step].title },
      { text: when(at), as: 'time' },
      { text: by },
      checked ? { text: `its check was met${quiet}`, tone: 'live' } : { text: 'by hand', tone: 'warn' },
      { text: reason ?? '' },
      numberCell(fromHeld),
      numberCell(toHeld),
    ],
  }
}

/** Without it, a step that is there twice would look like a mistake of the report. */
function backRow({ step, at, by }: SwitchRun['wentBack'][number]): Row {
  return {
    at,
    cells: [
      { text: STEP_WORDS[step].title },
      { text: when(at), as: 'time' },
      { text: by },
      { text: 'gone back to', tone: 'warn' },
      ...Array.from({ length: 3 }, () => ({ text: '' })),
    ],
  }
}

function envBlocks(run: SwitchRun): Block[] {
  const line = providerLine(run)
  if (line === null)
    return [
      heading('The provider'),
      text(
        `Both stores are ${PROVIDER_FACTS[run.to.kind].name}: ${PROVIDER_VARIABLE} stays as it is, and where it leads was changed by hand.`,
      ),
    ]
  if (run.envChanges.length === 0)
    return [
      heading('The provider'),
      text(`No file was changed by Lockkeeper. What programs have to be told is ${line}.`),
    ]
  return [
    heading('The provider'),
    {
      is: 'table',
      name: 'Changes of files',
      columns: [
        { title: 'When', share: 16 },
        { title: 'By', share: 10 },
        { title: 'File', share: 26 },
        { title: `${PROVIDER_VARIABLE} before`, share: 14 },
        { title: 'After', share: 14 },
        { title: 'As it was', share: 30 },
      ],
      rows: run.envChanges.map((change): Cell[] => [
        { text: when(change.at), as: 'time' },
        { text: change.by },
        { text: change.file, as: 'code' },
        change.before === null ? { text: 'not said', tone: 'quiet' } : { text: change.before, as: 'code' },
        { text: change.after, as: 'code' },
        { text: change.copy, as: 'code' },
      ]),
    },
  ]
}

function planBlocks({ run, plans }: SwitchDocument): Block[] {
  if (run.planIds.length === 0) return []
  return [
    heading('Release plans'),
    {
      is: 'table',
      name: 'Release plans',
      columns: [
        { title: 'Plan', share: 14 },
        { title: 'Made', share: 16 },
        { title: 'Locks', align: 'right', share: 8 },
        { title: 'Why', share: 20 },
        { title: 'What came of it', share: 40 },
      ],
      rows: run.planIds.map((planId): Cell[] => {
        const plan = plans.find(each => each.planId === planId)
        if (!plan)
          return [
            { text: planId, as: 'code' },
            { text: '' },
            { text: '' },
            { text: '' },
            { text: 'not kept any more' },
          ]
        const { state, reason } = plan.progress
        return [
          { text: planId, as: 'code' },
          { text: when(plan.createdAt), as: 'time' },
          numberCell(plan.count),
          { text: reason ?? '' },
          { text: state === 'ready' ? 'never applied' : planOutcome(plan.progress) },
        ]
      }),
    },
    text('The audit log has every lock of them by the id of the plan.', true),
  ]
}

function remainsBlocks({ run, now }: SwitchDocument): Block[] {
  const { from, remaining } = now
  const known = from.held === null || from.expired === null
  const said = known
    ? `${run.from.storeName} is not read now, so that nobody can say.`
    : from.held === 0 && from.expired === 0
      ? 'Nothing.'
      : `${plural(from.held ?? 0, 'lock is', 'locks are')} held, and ${plural(from.expired ?? 0, 'expired one is', 'expired ones are')} still stored.`
  return [
    heading('What remains in the old store'),
    text(said),
    ...(remaining.length === 0
      ? []
      : [
          {
            is: 'entry' as const,
            key: 'Held still',
            isOurs: true,
            tags: [{ text: 'and why', tone: 'quiet' as const }],
            texts: [],
            list: remaining.map(each => remainingSentence(each, now.at)),
          },
        ]),
  ]
}

function differenceBlocks({ run, now }: SwitchDocument): Block[] {
  const { from, to, numbers, means } = providerDifferences(run, now)
  const facts = (side: Side, { name, advantages, considerations }: typeof from): Block => ({
    is: 'entry',
    key: side.storeName,
    tags: [{ text: name, tone: 'quiet' }],
    texts: [`Advantages: ${advantages.join(' ')}`, `Considerations: ${considerations.join(' ')}`],
    list: [],
  })
  return [
    heading('How the two differ'),
    {
      is: 'table',
      name: 'Numbers of both',
      columns: [
        { title: 'Now', share: 30 },
        { title: run.from.storeName, share: 35 },
        { title: run.to.storeName, share: 35 },
      ],
      rows: numbers.map((each): Cell[] => [
        { text: each.what },
        { text: each.from ?? 'not known' },
        { text: each.to ?? 'not known' },
      ]),
    },
    ...means.map(each => text(each)),
    { is: 'beside', blocks: [facts(run.from, from), facts(run.to, to)] },
  ]
}
