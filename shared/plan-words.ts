import { MINUTE_MS, sayDuration } from './duration.ts'
import { holdsForMaintenance } from './hold-owner.ts'
import type { FormatInfo } from './locks.ts'
import { plural, sayNumber } from './numbers.ts'
import type { PlanEntry, PlanHeader, PlanProgress, ResultName } from './plans.ts'
import { clip, escapeForTerminal } from './safe-text.ts'

/**
 * What an operator must know of a plan before it is applied, in sentences. Names in them are escaped already, so what
 * prints them only neutralises.
 */

export const PLAN_WARNINGS = [
  'production',
  'maintenance',
  'renewing',
  'young',
  'runs-twice',
  'may-crash',
  'comes-back',
  'no-undo',
  'alike',
  'no-end',
  'left',
  'unread',
  'unwatched',
] as const
export type PlanWarningCode = (typeof PLAN_WARNINGS)[number]

/** `count` is how many locks it is about; parts of a store for `unread`. */
export type PlanWarning = {
  readonly code: PlanWarningCode
  readonly count: number
  readonly sentence: string
}

/** Held for less than this, a lock was hardly forgotten. */
const YOUNG_MS = MINUTE_MS
/** Watched for less than this, a holder that renews may not have been seen to. */
const WATCHED_ENOUGH_MS = MINUTE_MS

/** `entries` are the locks of the plan that are not excluded. */
export function planWarnings(
  header: Pick<PlanHeader, 'kind' | 'watchedMs' | 'stores' | 'left'>,
  entries: Iterable<PlanEntry>,
  formats: ReadonlyMap<string, FormatInfo>,
): PlanWarning[] {
  const seen = tally(header, entries, formats)
  const releasing = header.kind === 'release'
  const about: (PlanWarning | null)[] = [
    warn('production', seen.production, n =>
      n === 1
        ? `1 is in production: ${list(seen.productionStores)}.`
        : `${sayNumber(n)} are in production: ${list(seen.productionStores)}.`,
    ),
    ...(releasing ? releaseWarnings(seen) : []),
    warn('no-end', releasing ? 0 : seen.endless, n =>
      n === 1
        ? '1 has no end of its own: once put back, it stays until somebody releases it.'
        : `${sayNumber(n)} have no end of their own: once put back, they stay until somebody releases them.`,
    ),
    warn('left', header.left, n => leftSentence(releasing, n)),
    ...header.stores.map(({ name, unread }) =>
      warn('unread', unread.length, n =>
        n === 1
          ? `A part of ${shown(name)} could not be read (${list(unread)}): its locks are not in the plan.`
          : `${sayNumber(n)} parts of ${shown(name)} could not be read (${list(unread)}): their locks are not in the plan.`,
      ),
    ),
    warn('unwatched', releasing && header.watchedMs < WATCHED_ENOUGH_MS ? seen.unrenewed : 0, () =>
      header.watchedMs < 1000
        ? 'The stores were not watched before: which locks are being renewed is not known.'
        : `The stores had been watched for ${sayDuration(header.watchedMs, { tenths: false })} only: a lock that is renewed less often looks like one that nobody renews.`,
    ),
  ]
  return about.filter(each => each !== null)
}

function releaseWarnings(seen: Tally): (PlanWarning | null)[] {
  return [
    warn('maintenance', seen.maintenance, n =>
      n === 1
        ? `1 is held for maintenance, by ${list(seen.maintainers)}: what it keeps from running may start at once.`
        : `${sayNumber(n)} are held for maintenance, by ${list(seen.maintainers)}: what they keep from running may start at once.`,
    ),
    warn('renewing', seen.renewing, n => {
      const what = seen.renewingAlike > 0 ? 'being renewed, or taken again' : 'still being renewed'
      return n === 1
        ? `1 is ${what}: its holder is alive and at work.`
        : `${sayNumber(n)} are ${what}: their holders are alive and at work.`
    }),
    warn('young', seen.young, n =>
      n === 1
        ? '1 had been held for less than a minute, as far as is known: it is hardly a forgotten one.'
        : `${sayNumber(n)} had been held for less than a minute, as far as is known: they are hardly forgotten ones.`,
    ),
    warn('runs-twice', seen.runsTwice, n =>
      n === 1
        ? 'The holder of 1 is not told and works on if it is alive: its job may then run twice.'
        : `The holders of ${sayNumber(n)} are not told and work on if they are alive: their jobs may then run twice.`,
    ),
    warn('may-crash', seen.mayCrash, n =>
      n === 1
        ? `The holder of 1 may crash when it finds out: ${list(seen.mayCrashFormats)}.`
        : `The holders of ${sayNumber(n)} may crash when they find out: ${list(seen.mayCrashFormats)}.`,
    ),
    warn('comes-back', seen.comesBack, n =>
      n === 1
        ? '1 may be written back by its holder, if that is alive.'
        : `${sayNumber(n)} may be written back by their holders, if those are alive.`,
    ),
    ...[...seen.noUndo].map(([why, count]) =>
      warn('no-undo', count, n =>
        n === 1
          ? `1 cannot be put back afterwards: ${why}`
          : `${sayNumber(n)} cannot be put back afterwards: ${why}`,
      ),
    ),
    warn('alike', seen.alike, n =>
      n === 1
        ? '1 is written alike by all its holders: a next one is told from the one you see by its deadline, and without a deadline not at all.'
        : `${sayNumber(n)} are written alike by all their holders: a next one is told from the one you see by its deadline, and without a deadline not at all.`,
    ),
  ]
}

function leftSentence(releasing: boolean, n: number): string {
  if (!releasing)
    return n === 1
      ? '1 cannot be put back and is not in the plan.'
      : `${sayNumber(n)} cannot be put back and are not in the plan.`
  return n === 1
    ? '1 that was asked for had changed meanwhile and is not in the plan.'
    : `${sayNumber(n)} that were asked for had changed meanwhile and are not in the plan.`
}

type Tally = ReturnType<typeof tally>

function tally(
  header: Pick<PlanHeader, 'stores'>,
  entries: Iterable<PlanEntry>,
  formats: ReadonlyMap<string, FormatInfo>,
) {
  const seen = {
    production: 0,
    productionStores: new Set<string>(),
    maintenance: 0,
    maintainers: new Set<string>(),
    renewing: 0,
    renewingAlike: 0,
    unrenewed: 0,
    young: 0,
    runsTwice: 0,
    mayCrash: 0,
    mayCrashFormats: new Set<string>(),
    comesBack: 0,
    noUndo: new Map<string, number>(),
    alike: 0,
    endless: 0,
  }
  for (const entry of entries) {
    const store = header.stores[entry.store]
    const format = formats.get(entry.format)
    if (store?.production) {
      seen.production++
      seen.productionStores.add(store.name)
    }
    if (format && format.noUndo !== null)
      seen.noUndo.set(format.noUndo, (seen.noUndo.get(format.noUndo) ?? 0) + 1)
    if (entry.endsAt === null) seen.endless++
    // The kept record of a freed lock has no holder to harm.
    if (entry.state === 'released') continue
    const maintainer = holdsForMaintenance(entry.owner)
    if (maintainer !== null && entry.state !== 'expired') {
      seen.maintenance++
      seen.maintainers.add(maintainer)
    }
    if (entry.renewals > 0) {
      seen.renewing++
      if (entry.alike) seen.renewingAlike++
      // Nobody renews what has ended.
    } else if (entry.state !== 'expired') seen.unrenewed++
    if (entry.alike) seen.alike++
    if (entry.heldSince !== null && entry.observedAt - entry.heldSince < YOUNG_MS) seen.young++
    if (!format) continue
    if (format.holderNotices === 'never' || format.holderNotices === 'at-release') seen.runsTwice++
    if (format.holderMayCrash) {
      seen.mayCrash++
      seen.mayCrashFormats.add(format.title)
    }
    if (format.mayComeBack) seen.comesBack++
  }
  return seen
}

function warn(code: PlanWarningCode, count: number, say: (n: number) => string): PlanWarning | null {
  return count === 0 ? null : { code, count, sentence: say(count) }
}

function shown(name: string): string {
  return escapeForTerminal(clip(name, 80))
}

/** So many names fit into a sentence. */
const NAMES = 4

function list(names: Iterable<string>): string {
  const all = [...names]
  const named = all.slice(0, NAMES).map(shown).join(', ')
  return all.length > NAMES ? `${named} and ${sayNumber(all.length - NAMES)} more` : named
}

type Said = Record<ResultName, (n: number) => string>

const RESULTS_SAID: Said = {
  released: n => `${sayNumber(n)} released`,
  restored: n => `${sayNumber(n)} put back`,
  changed: n => plural(n, 'had changed and was not touched', 'had changed and were not touched'),
  gone: n => plural(n, 'was gone already', 'were gone already'),
  taken: n => plural(n, 'is taken again and was not touched', 'are taken again and were not touched'),
  ended: n => plural(n, 'would have ended by now', 'would have ended by now'),
  failed: n => `${sayNumber(n)} failed`,
  tried: n => plural(n, 'was tried, and its end is not known', 'were tried, and their end is not known'),
  pending: n => plural(n, 'was not attempted', 'were not attempted'),
}

/** In the order in which they are told. */
export const TOLD: readonly ResultName[] = [
  'released',
  'restored',
  'changed',
  'taken',
  'gone',
  'ended',
  'failed',
  'tried',
  'pending',
]

/** What became of a plan, in a sentence whose numbers add up to all of its locks. */
export function planOutcome(progress: Pick<PlanProgress, 'total' | 'counts'>): string {
  const parts = TOLD.filter(name => progress.counts[name] > 0).map(name =>
    RESULTS_SAID[name](progress.counts[name]),
  )
  const of = progress.total === 1 ? 'Of 1 lock' : `Of ${sayNumber(progress.total)} locks`
  return parts.length === 0 ? `${of}, none was attempted.` : `${of}: ${parts.join('; ')}.`
}
