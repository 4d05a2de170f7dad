import { MINUTE_MS, sayDuration } from './duration.ts'
import { holdsForMaintenance } from './hold-words.ts'
import type { FormatInfo } from './locks.ts'
import { sayNumber } from './numbers.ts'
import { type PlanEntry, type PlanHeader, type PlanProgress, RESULTS, type ResultName } from './plans.ts'
import { shownName } from './safe-text.ts'

/** Sentences about plans. Names in them are escaped; printing them only takes neutralise(). */

export type PlanWarningCode =
  | 'production'
  | 'maintenance'
  | 'renewing'
  | 'young'
  | 'runs-twice'
  | 'may-crash'
  | 'comes-back'
  | 'no-undo'
  | 'alike'
  | 'no-end'
  | 'left'
  | 'unread'
  | 'unwatched'

/** `count` is the number of locks it applies to; of parts of a store for `unread`. */
export type PlanWarning = {
  readonly code: PlanWarningCode
  readonly count: number
  readonly sentence: string
}

/** A lock held for less than this is probably still in use. */
const YOUNG_MS = MINUTE_MS
/** Watched for less than this, a holder that renews may go unnoticed. */
const WATCHED_ENOUGH_MS = MINUTE_MS

/** What the operator must know before the plan is applied. `entries` are the locks that are not excluded. */
export function planWarnings(
  header: Pick<PlanHeader, 'kind' | 'watchedMs' | 'stores' | 'left'>,
  entries: Iterable<PlanEntry>,
  formats: ReadonlyMap<string, FormatInfo>,
): PlanWarning[] {
  const of = namesByWarning(header, entries, formats)
  const isRelease = header.kind === 'release'
  const productionStores = list(new Set(of('production')))
  return [
    warning('production', of('production').length, [
      `1 is in production: ${productionStores}.`,
      `# are in production: ${productionStores}.`,
    ]),
    ...(isRelease ? releaseWarnings(of) : []),
    warning('no-end', isRelease ? 0 : of('no-end').length, [
      '1 has no expiry: once restored, it stays until an operator releases it.',
      '# have no expiry: once restored, they stay until an operator releases them.',
    ]),
    warning(
      'left',
      header.left,
      isRelease
        ? [
            '1 requested lock had changed and is not in the plan.',
            '# requested locks had changed and are not in the plan.',
          ]
        : ['1 cannot be restored and is not in the plan.', '# cannot be restored and are not in the plan.'],
    ),
    ...header.stores.map(({ name, unread }) =>
      warning('unread', unread.length, [
        `A part of ${shownName(name)} could not be read (${list(unread)}): its locks are not in the plan.`,
        `# parts of ${shownName(name)} could not be read (${list(unread)}): their locks are not in the plan.`,
      ]),
    ),
    warning('unwatched', isRelease && header.watchedMs < WATCHED_ENOUGH_MS ? of('unwatched').length : 0, [
      header.watchedMs < 1000
        ? 'The stores were not watched before: which locks are being renewed is unknown.'
        : `The stores were watched for ${sayDuration(header.watchedMs, { tenths: false })} only: a lock that is renewed less often looks abandoned.`,
    ]),
  ].flat()
}

function releaseWarnings(of: NamesByWarning): PlanWarning[] {
  const maintainers = list(new Set(of('maintenance')))
  const crashFormats = list(new Set(of('may-crash')))
  const renewing = of('renewing').includes('alike') ? 'being renewed or re-acquired' : 'still being renewed'
  return [
    warning('maintenance', of('maintenance').length, [
      `1 is a maintenance hold of ${maintainers}: the job it blocks may start at once.`,
      `# are maintenance holds of ${maintainers}: the jobs they block may start at once.`,
    ]),
    warning('renewing', of('renewing').length, [
      `1 is ${renewing}: its holder is alive and at work.`,
      `# are ${renewing}: their holders are alive and at work.`,
    ]),
    warning('young', of('young').length, [
      '1 was held for less than a minute, as far as is known: it is probably still in use.',
      '# were held for less than a minute, as far as is known: they are probably still in use.',
    ]),
    warning('runs-twice', of('runs-twice').length, [
      "The holder of 1 isn't notified and keeps running if it is alive: its job may then run twice.",
      "The holders of # aren't notified and keep running if they are alive: their jobs may then run twice.",
    ]),
    warning('may-crash', of('may-crash').length, [
      `The holder of 1 may crash when it notices the release: ${crashFormats}.`,
      `The holders of # may crash when they notice the release: ${crashFormats}.`,
    ]),
    warning('comes-back', of('comes-back').length, [
      '1 may be re-acquired by its holder if it is alive.',
      '# may be re-acquired by their holders if they are alive.',
    ]),
    ...[...new Set(of('no-undo'))].map(why =>
      warning('no-undo', of('no-undo').filter(each => each === why).length, [
        `1 cannot be restored afterwards: ${why}`,
        `# cannot be restored afterwards: ${why}`,
      ]),
    ),
    warning('alike', of('alike').length, [
      '1 is written identically by all its holders: only its deadline tells a new holder from the one shown, and without a deadline nothing does.',
      '# are written identically by all their holders: only its deadline tells a new holder from the one shown, and without a deadline nothing does.',
    ]),
  ].flat()
}

type NamesByWarning = ReturnType<typeof namesByWarning>

/** For each lock that a warning applies to, the name for its sentence, or nothing. */
function namesByWarning(
  { stores }: Pick<PlanHeader, 'stores'>,
  entries: Iterable<PlanEntry>,
  formats: ReadonlyMap<string, FormatInfo>,
) {
  const found: Partial<Record<PlanWarningCode, string[]>> = {}
  const add = (code: PlanWarningCode, name = '') => {
    found[code] ??= []
    found[code].push(name)
  }
  for (const entry of entries) {
    const store = stores[entry.store]
    const format = formats.get(entry.format)
    const isExpired = entry.state === 'expired'
    if (store?.production) add('production', store.name)
    if (format && format.noUndo !== null) add('no-undo', format.noUndo)
    if (entry.endsAt === null) add('no-end')
    // The kept record of a freed lock has no holder to harm.
    if (entry.state === 'released') continue
    const maintainer = holdsForMaintenance(entry.owner)
    if (maintainer !== null && !isExpired) add('maintenance', maintainer)
    if (entry.renewals > 0) add('renewing', entry.alike ? 'alike' : '')
    // An expired lock is renewed by no one.
    else if (!isExpired) add('unwatched')
    if (entry.alike) add('alike')
    if (entry.heldSince !== null && entry.observedAt - entry.heldSince < YOUNG_MS) add('young')
    if (format?.holderNotices === 'never' || format?.holderNotices === 'at-release') add('runs-twice')
    if (format?.holderMayCrash) add('may-crash', format.title)
    if (format?.mayComeBack) add('comes-back')
  }
  return (code: PlanWarningCode): readonly string[] => found[code] ?? []
}

/** None without locks. The first sentence is for one lock, the second, where it differs, for `#` of them. */
function warning(
  code: PlanWarningCode,
  count: number,
  [one, many = one]: readonly [string, string?],
): PlanWarning[] {
  return count === 0 ? [] : [{ code, count, sentence: oneOrMany(count, one, many) }]
}

function oneOrMany(n: number, one: string, many: string): string {
  return n === 1 ? one : many.replace('#', sayNumber(n))
}

/** Names in one sentence. */
const NAMES = 4

function list(names: Iterable<string>): string {
  const all = [...names]
  const named = all
    .slice(0, NAMES)
    .map(each => shownName(each))
    .join(', ')
  return all.length > NAMES ? `${named} and ${sayNumber(all.length - NAMES)} more` : named
}

/** For one lock and for `#` locks. */
const OUTCOMES: Record<ResultName, readonly [one: string, many: string]> = {
  released: ['1 released', '# released'],
  restored: ['1 restored', '# restored'],
  changed: ['1 had changed and was not touched', '# had changed and were not touched'],
  taken: ['1 is held again and was not touched', '# are held again and were not touched'],
  gone: ['1 was already gone', '# were already gone'],
  ended: ['1 would have expired by now', '# would have expired by now'],
  failed: ['1 failed', '# failed'],
  tried: ['1 was attempted with unknown outcome', '# were attempted with unknown outcome'],
  pending: ['1 was not attempted', '# were not attempted'],
}

/** The results of a plan in one sentence, whose numbers add up to all of its locks. */
export function planOutcome({ counts, total }: Pick<PlanProgress, 'total' | 'counts'>): string {
  const parts = RESULTS.filter(name => counts[name] > 0).map(name =>
    oneOrMany(counts[name], ...OUTCOMES[name]),
  )
  const of = oneOrMany(total, 'Of 1 lock', 'Of # locks')
  return parts.length === 0 ? `${of}, none was attempted.` : `${of}: ${parts.join('; ')}.`
}
