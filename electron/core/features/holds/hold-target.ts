import { parseAddress } from '../../../../shared/address.ts'
import type { HoldChoices } from '../../../../shared/holds.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { only } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { recordIdOf } from './acquire-hold.ts'
import { type Fit, formatChoices, formatFor } from './hold-formats.ts'

/** Where a lock is to be acquired, and its current record. */
export type HoldTarget = {
  /** As stored, without the table. */
  readonly key: string
  readonly table: string | null
  /** The id of its record. */
  readonly recordId: string
  readonly current: Lock | null
  readonly fit: Fit
  /** The format was read there, now or earlier, and is not a guess by the key. */
  readonly isCertain: boolean
  /** A record is there now, so its format cannot be chosen. */
  readonly isFinal: boolean
}

/** Reads the current record. `asked` is a key, or `table/key` as in lists where a store has several tables. */
export async function findTarget(open: OpenStore, asked: string): Promise<HoldTarget> {
  const spot = await spotOf(open, asked)
  if ('problem' in spot) {
    const fit = { format: null, problem: spot.problem }
    return { key: asked, table: null, recordId: asked, current: null, fit, isCertain: true, isFinal: true }
  }
  const looked = only(await open.store.look([spot.recordId], open.signal))
  const current = looked.is === 'lock' ? looked.lock : null
  const place = { ...spot, current, isCertain: true, isFinal: looked.is !== 'absent' }
  if (looked.is === 'other')
    return {
      ...place,
      fit: { format: null, problem: 'The record under this key is not a known lock' },
    }
  const known = current ?? open.watcher.lastSeen(asked) ?? open.watcher.lastSeen(spot.recordId)
  const { kind, address } = open.store
  return {
    ...place,
    isCertain: known !== null,
    fit: formatFor(kind, spot.key, known, parseAddress(address).format),
  }
}

export function choicesOf(open: OpenStore, { fit, current, isCertain }: HoldTarget): HoldChoices {
  return {
    formats: formatChoices(open.store.kind),
    suggested: fit.format,
    certain: isCertain,
    problem: fit.problem,
    current,
  }
}

/** The requested format, unless the current record has another. */
export function chosenFormat(
  open: OpenStore,
  { fit, isFinal }: HoldTarget,
  asked: string | undefined,
): string {
  if (fit.problem !== null && (isFinal || asked === undefined))
    throw new StoreError('UNSUPPORTED', fit.problem)
  const known = formatChoices(open.store.kind).map(each => each.format)
  const format = asked ?? fit.format
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
