import { parseAddress } from '../../../../shared/address.ts'
import type { HoldChoices } from '../../../../shared/holds.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { only } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { type Fit, formatFor, formatsOf } from './hold-formats.ts'
import { lookIdOf } from './take-hold.ts'

/** Where a lock is to be taken, and what is there now. */
export type HoldPlace = {
  /** As the store has it, without the table. */
  readonly key: string
  readonly table: string | null
  /** What asks the store for it. */
  readonly lookId: string
  readonly current: Lock | null
  readonly fit: Fit
  /** Somebody has written in this format there, and we have seen it. */
  readonly isCertain: boolean
  /** What does not fit is there, and was not merely seen there once. */
  readonly isFinal: boolean
}

/** Looks at what is there. `asked` is a key, or where a store has several tables also `table/key`, as lists call it. */
export async function findPlace(open: OpenStore, asked: string): Promise<HoldPlace> {
  const spot = await spotOf(open, asked)
  if ('problem' in spot) {
    const fit = { format: null, problem: spot.problem }
    return { key: asked, table: null, lookId: asked, current: null, fit, isCertain: true, isFinal: true }
  }
  const looked = only(await open.store.look([spot.lookId], open.signal))
  const current = looked.is === 'lock' ? looked.lock : null
  const place = { ...spot, current, isCertain: true, isFinal: looked.is !== 'absent' }
  if (looked.is === 'other')
    return {
      ...place,
      fit: { format: null, problem: 'There is a record under this key that is not known to be a lock' },
    }
  const known = current ?? open.watcher.lastSeen(asked) ?? open.watcher.lastSeen(spot.lookId)
  const { kind, address } = open.store
  return {
    ...place,
    isCertain: known !== null,
    fit: formatFor(kind, spot.key, known, parseAddress(address).format),
  }
}

export function choicesOf(open: OpenStore, { fit, current, isCertain }: HoldPlace): HoldChoices {
  return {
    formats: formatsOf(open.store.kind),
    suggested: fit.format,
    certain: isCertain,
    problem: fit.problem,
    current,
  }
}

/** The format to take it in: the one that was asked for, unless what is there forbids it. */
export function chosenFormat(
  open: OpenStore,
  { fit, isFinal }: HoldPlace,
  asked: string | undefined,
): string {
  if (fit.problem !== null && (isFinal || asked === undefined))
    throw new StoreError('UNSUPPORTED', fit.problem)
  const known = formatsOf(open.store.kind).map(each => each.format)
  const format = asked ?? fit.format
  if (format === null || !known.includes(format))
    throw new StoreError(
      asked === undefined ? 'UNSUPPORTED' : 'BAD_INPUT',
      `Locks are taken here in these formats only: ${known.join(', ')}`,
    )
  return format
}

type Spot = Pick<HoldPlace, 'key' | 'table' | 'lookId'>

async function spotOf({ store, signal }: OpenStore, asked: string): Promise<Spot | { problem: string }> {
  if (!store.tables) return { key: asked, table: null, lookId: asked }
  const tables = await store.tables(signal)
  const usable = tables.filter(each => each.format === TABLE_FORMAT)
  const named =
    tables.length > 1
      ? tables.find(({ name }) => asked.startsWith(`${name}/`) && asked !== `${name}/`)
      : undefined
  const table = named ?? (usable.length === 1 ? usable[0] : undefined)
  if (!table)
    return usable.length > 1
      ? { problem: 'There are several tables of locks here: write the table and a slash before the key' }
      : { problem: noTable(tables[0]?.format) }
  if (table.format !== TABLE_FORMAT) return { problem: noTable(table.format) }
  const key = named ? asked.slice(named.name.length + 1) : asked
  return { key, table: table.name, lookId: lookIdOf(key, table.name) }
}

const TABLE_FORMAT = 'recharge-table'

function noTable(format: string | undefined): string {
  const none = 'There is no table here in which Lockkeeper can take a lock'
  return format === undefined ? none : (formatFor('mysql', '', null, format).problem ?? none)
}
