import { parseAddress } from '../../../../shared/address.ts'
import type { HoldChoices } from '../../../../shared/holds.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { only } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { fitted } from '../../lib/json-size.ts'
import type { KindFormat } from '../../stores/kind.ts'
import { formatInfo, formatsOf } from '../../stores/kinds/kinds.ts'
import type { Take, Taken } from '../../stores/types.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { recordIdOf } from './acquire-hold.ts'

/** A format, or why there is none. */
type Fit = { readonly format: string | null; readonly problem: string | null }

/** Where a lock is to be acquired, and its current record. */
export type HoldTarget = Fit & {
  /** As stored, without the table. */
  readonly key: string
  readonly table: string | null
  /** The id of its record. */
  readonly recordId: string
  readonly current: Lock | null
  /** The format was observed there, now or earlier, rather than guessed by the key. */
  readonly isCertain: boolean
  /** A record is there now, so its format cannot be chosen. */
  readonly isFinal: boolean
}

/** Reads the current record. `asked` is a key, or `table/key` as in lists where a store has several tables. */
export async function findTarget(open: OpenStore, asked: string): Promise<HoldTarget> {
  const spot = await spotOf(open, asked)
  if ('problem' in spot) {
    const nowhere = { key: asked, table: null, recordId: asked, current: null }
    return { ...nowhere, isCertain: true, isFinal: true, format: null, problem: spot.problem }
  }
  const answer = only(await open.store.look([spot.recordId], open.signal))
  const current = answer.is === 'lock' ? answer.lock : null
  const place = { ...spot, current, isFinal: answer.is !== 'absent' }
  const problem = 'The record under this key is not a known lock'
  if (answer.is === 'other') return { ...place, isCertain: true, format: null, problem }
  const known = current ?? open.watcher.lastSeen(asked) ?? open.watcher.lastSeen(spot.recordId)
  const { kind, address } = open.store
  const fit = formatFor(kind, spot.key, known, parseAddress(address).format)
  return { ...place, isCertain: known !== null, ...fit }
}

export function choicesOf(open: OpenStore, target: HoldTarget): HoldChoices {
  const { format: suggested, isCertain: certain, problem, current } = target
  return { formats: formatChoices(open.store.kind), suggested, certain, problem, current: fitted(current) }
}

/** The requested format, unless the current record has another. */
export function chosenFormat(open: OpenStore, target: HoldTarget, asked: string | undefined): string {
  if (target.problem !== null && (target.isFinal || asked === undefined))
    throw new StoreError('UNSUPPORTED', target.problem)
  const known = formatChoices(open.store.kind).map(each => each.format)
  const format = asked ?? target.format
  if (format === null || !known.includes(format))
    throw new StoreError(
      asked === undefined ? 'UNSUPPORTED' : 'BAD_INPUT',
      `Holds in this store can have one of these formats: ${known.join(', ')}`,
    )
  return format
}

type Spot = Pick<HoldTarget, 'key' | 'table' | 'recordId'>

async function spotOf({ store, signal }: OpenStore, asked: string): Promise<Spot | { problem: string }> {
  if (!store.tables) return { key: asked, table: null, recordId: asked }
  const tables = await store.tables(signal)
  const problemIn = (table: { readonly format: string }) =>
    formatFor(store.kind, '', null, table.format).problem
  const usable = tables.filter(each => problemIn(each) === null)
  const named =
    tables.length > 1
      ? tables.find(({ name }) => asked.startsWith(`${name}/`) && asked !== `${name}/`)
      : undefined
  const table = named ?? (usable.length === 1 ? usable[0] : undefined)
  if (!table && usable.length > 1)
    return { problem: 'This store has several lock tables: write the table and a slash before the key' }
  if (!table || !usable.includes(table)) {
    const unusable = table ?? tables[0]
    const none = 'This store has no table in which Lockkeeper can acquire a lock'
    return { problem: (unusable && problemIn(unusable)) ?? none }
  }
  const key = named ? asked.slice(named.name.length + 1) : asked
  return { key, table: table.name, recordId: recordIdOf(key, table.name) }
}

/** The formats in which Lockkeeper takes locks. The last one fits any key. */
function takenFormats(kind: string): Taken<KindFormat>[] {
  return formatsOf(kind).filter((format): format is Taken<KindFormat> => format.take !== undefined)
}

function formatChoices(kind: string): HoldChoices['formats'] {
  return takenFormats(kind).map(({ info, take }) => ({
    format: info.id,
    title: info.title,
    prefix: take.prefixes[0] ?? '',
  }))
}

/** The format in which a lock under this key excludes its programs. `known` is the current lock, or the last one observed. */
function formatFor(kind: string, key: string, known: Lock | null, pinned: string | null): Fit {
  const taken = takenFormats(kind)
  const wanted = known?.format ?? pinned
  const format =
    wanted === null
      ? (taken.find(({ take }) => fits(take, key)) ?? taken.at(-1))
      : taken.find(({ info }) => info.id === wanted)
  if (format) return { format: format.info.id, problem: null }
  if (wanted === null) return { format: null, problem: 'Lockkeeper cannot take locks in this kind of store' }
  const { takeHarm } = formatsOf(kind).find(({ info }) => info.id === wanted) ?? {}
  const harm = takeHarm === undefined ? '' : `: ${takeHarm}`
  return {
    format: null,
    problem: `Lockkeeper cannot take locks of the format ${formatInfo(wanted)?.title ?? wanted}${harm}`,
  }
}

function fits({ prefixes, name }: Take, key: string): boolean {
  const shape = name?.shape ?? /./s
  return prefixes.some(prefix => key.startsWith(prefix) && shape.test(key.slice(prefix.length)))
}
