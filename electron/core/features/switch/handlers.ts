import { randomBytes } from 'node:crypto'
import { kindOf } from '../../../../shared/kinds.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import type { Side, SwitchRun } from '../../../../shared/switch.ts'
import { isBeyond, isSeenAfterRestart, nextStep } from '../../../../shared/switch-steps.ts'
import {
  checkSentence,
  PROVIDER_VARIABLE,
  providerLine,
  STEP_WORDS,
} from '../../../../shared/switch-words.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts, HandlersOf, Note } from '../../lib/handler.ts'
import { PAGE_BYTES } from '../../lib/json-size.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'
import { changeEnvFile, previewEnv } from './env-file.ts'
import { type ReportSources, writeReport } from './report.ts'

const USUAL_QUIET_MS = 30_000
/** More than a few under way at once are a mistake, and each of them is watched. */
const MOST_UNDER_WAY = 20

type SwitchOptions = ReportSources & {
  readonly stores: Pick<OpenStores, 'get' | 'areSamePlace'>
  readonly dataFolder: string
  readonly plan: (storeId: string, signal: AbortSignal, action: string) => Promise<PlanSummary>
}

/** Guided changes from one lock provider to another. Every decision is recorded before it takes effect. */
export function switchHandlers(options: SwitchOptions): HandlersOf<'switch'> {
  const { runs, stores, plan, dataFolder } = options

  /** A decision that only changes what is kept of the switch. */
  async function decide(switchId: string, facts: Facts, change: (run: SwitchRun) => SwitchRun) {
    const run = await runs.underWay(switchId)
    return { facts: { ...about(run), ...facts }, apply: () => runs.editRun(switchId, change) }
  }

  return {
    'switch.list': async () => {
      await runs.ready
      // An empty list would say that no switch is under way.
      if (runs.notice !== null) throw refused(`${runs.notice} Fix or move switches.json first`)
      return runs.all.map(run => runs.shown(run, PAGE_BYTES / runs.all.length)).reverse()
    },

    'switch.begin': async ({ fromStoreId, toStoreId, quietMs }, { signal }) => {
      await runs.ready
      const from = sideOf(stores.get(fromStoreId, signal))
      const to = sideOf(stores.get(toStoreId, signal))
      checkSides(from, to)
      if (stores.areSamePlace({ ...from, storeId: fromStoreId }, { ...to, storeId: toStoreId }))
        throw refused('Both are the same place: there is nothing to switch')
      const isIt = (run: SwitchRun) => run.ended === null && isBetween(run, from, to)
      const known = runs.all.find(isIt)
      if (known && (quietMs ?? known.quietMs) === known.quietMs)
        return { facts: null, apply: async () => runs.shown(known) }
      const fresh = newRun(from, to, quietMs ?? USUAL_QUIET_MS)
      const apply = async () => {
        let begun = fresh
        await runs.edit(all => {
          const open = all.filter(({ ended }) => ended === null)
          begun = open.find(isIt) ?? fresh
          if (begun !== fresh)
            return all.map(run => (run === begun ? { ...run, quietMs: quietMs ?? run.quietMs } : run))
          if (open.some(run => isBetween(run, to, from)))
            throw refused(
              'A switch in the other direction is open between these stores: finish or abandon it first',
            )
          if (open.length >= MOST_UNDER_WAY)
            throw refused('Too many switches are open: finish or abandon some of them')
          return [...all, fresh]
        })
        return runs.shown(runs.find(begun.switchId))
      }
      return { facts: { ...about(known ?? fresh), quietMs: fresh.quietMs }, apply }
    },

    'switch.pass': async ({ switchId, step, reason: given }) => {
      const reason = given || null
      const run = await runs.underWay(switchId)
      const now = await runs.now(switchId)
      const checked = now.checks[step].is === 'met'
      const apply = async () => {
        checkStep(run, step)
        if (!checked && reason === null)
          throw refused(
            `The check of this step is not met: ${checkSentence(step, runs.bound(run), now)} To pass it anyway, give a reason`,
          )
        const did = { at: Date.now(), by: whoIsHere().user, reason }
        const held = { fromHeld: now.from.held, toHeld: now.to.held }
        return runs.editRun(switchId, each => {
          checkStep(each, step)
          // Another console may have seen and kept it since the check was made.
          if (step === 'verify' && checked && isSeenAfterRestart(each))
            throw refused('A worker used the old store just now: check the step again')
          const next = nextStep(step)
          return {
            ...each,
            passed: [...each.passed, { step, checked, ...did, ...held, quietMs: each.quietMs }],
            step: next ?? step,
            // From here on, the first lock in the new store counts.
            firstArrivalInNewAt: step === 'clean' ? null : each.firstArrivalInNewAt,
            ended: next === null ? { how: 'finished', ...did } : null,
          }
        })
      }
      const facts = { ...about(run), step, checked, ...(reason === null ? {} : { reason }) }
      // A step is not passed without its check unless that is on record.
      return { facts, mustRecord: !checked, apply }
    },

    'switch.back': ({ switchId, step }) =>
      decide(switchId, { step }, run => {
        if (!isBeyond(run, step)) throw refused('You can only go back to an earlier step')
        const wentBack = [...run.wentBack, { step, at: Date.now(), by: whoIsHere().user }]
        // At any step, the workers are yet to be started: their earlier locks prove nothing.
        return { ...run, step, wentBack, firstArrivalInNewAt: null }
      }),

    'switch.abandon': ({ switchId, reason }) =>
      decide(switchId, { reason }, run => {
        return { ...run, ended: { at: Date.now(), by: whoIsHere().user, how: 'abandoned', reason } }
      }),

    'switch.envPreview': async ({ switchId, file }) => {
      const run = await runs.underWay(switchId)
      const preview = file === null ? null : await previewEnv(file, wantedBy(run), dataFolder)
      const envFile = preview?.file ?? null
      if (envFile === run.envFile) return { facts: null, apply: async () => preview }
      const apply = async () => {
        await runs.editRun(switchId, each => ({ ...each, envFile }))
        return preview
      }
      return { facts: { ...about(run), file: envFile }, apply }
    },

    'switch.envChange': async ({ switchId, file, digest }) => {
      const run = await runs.underWay(switchId)
      const after = wantedBy(run)
      const apply = async (note: Note) => {
        checkStep(run, 'change')
        const changed = await changeEnvFile(file, after, digest, dataFolder)
        const { copy, before } = changed
        // switches.json may be unwritable.
        await note({ copy, before, outcome: 'changed' })
        const change = { ...changed, after, at: Date.now(), by: whoIsHere().user }
        const keep = (each: SwitchRun): SwitchRun => ({
          ...each,
          envFile: changed.file,
          envChanges: [...each.envChanges, change],
        })
        return runs.editRun(switchId, keep).catch(error => {
          throw new StoreError(
            'REFUSED',
            `The file was changed (its copy is ${copy}), but that cannot be kept with the switch: ${error instanceof Error ? error.message : 'unknown reason'}`,
            { cause: error, uncertain: true },
          )
        })
      }
      return { facts: { ...about(run), file, after }, mustRecord: true, apply }
    },

    'switch.plan': async ({ switchId }, { signal, action }) => {
      const run = await runs.underWay(switchId)
      const { storeId, storeName } = runs.bound(run).from
      if (storeId === null)
        throw new StoreError('NOT_FOUND', `The store ${storeName} is not open here: open it first`)
      const apply = async () => {
        const made = await plan(storeId, signal, action)
        await runs.editRun(switchId, each => ({ ...each, planIds: [...each.planIds, made.planId] }))
        return made
      }
      return { facts: about(run), apply, outcome: ({ planId }) => ({ outcome: 'done', plan: planId }) }
    },

    'switch.watch': ({ switchId }, signal) => runs.watch(switchId, signal),

    'switch.report': input => writeReport(options, input),
  }
}

function refused(message: string): StoreError {
  return new StoreError('REFUSED', message)
}

function newRun(from: Side, to: Side, quietMs: number): SwitchRun {
  return {
    switchId: `s${randomBytes(6).toString('hex')}`,
    from,
    to,
    begunAt: Date.now(),
    by: whoIsHere().user,
    step: 'understand',
    passed: [],
    wentBack: [],
    quietMs,
    envFile: null,
    envChanges: [],
    planIds: [],
    strays: [],
    splits: [],
    firstArrivalInNewAt: null,
    ended: null,
  }
}

function sideOf({ name, store: { address, kind } }: OpenStore): Side {
  return { storeId: null, storeName: name, address, kind }
}

function checkSides(from: Side, to: Side): void {
  if (kindOf(from.kind).isEmbedded || kindOf(to.kind).isEmbedded)
    throw refused('A memory store lives inside one process: there is no provider to configure')
}

function isBetween(run: SwitchRun, from: Side, to: Side): boolean {
  return run.from.address === from.address && run.to.address === to.address
}

function checkStep(run: SwitchRun, step: SwitchRun['step']): void {
  if (run.step !== step) throw refused(`This switch is at another step now: ${STEP_WORDS[run.step].title}`)
}

function wantedBy(run: SwitchRun): string {
  if (providerLine(run) === null)
    throw refused(`Both stores are of one kind: ${PROVIDER_VARIABLE} does not change`)
  return run.to.kind
}

function about({ switchId, from, to }: SwitchRun): Facts {
  return {
    switch: switchId,
    store: from.address,
    storeName: from.storeName,
    to: to.address,
    toName: to.storeName,
  }
}
