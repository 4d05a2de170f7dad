import { createStore } from 'zustand/vanilla'
import { type Filter, matches, parseFilter } from '../../shared/filter.ts'
import { attentionRank, EXPIRING_FRACTION, expiresAtOf, heldSinceOf } from '../../shared/lease.ts'
import { holderText } from '../../shared/lock-words.ts'
import { onTick } from './clock.ts'
import { book, consoleStore, statusOf } from './console.ts'
import type { Row } from './lock-book.ts'
import { overlay } from './overlay.ts'
import { preferences } from './preferences.ts'
import { viewStore } from './view.ts'

export type TableState = {
  /** One store, or all of them. */
  readonly scope: string | null
  readonly filterText: string
  readonly filter: Filter
  /** The rows in the order of the screen; the rows themselves are in the book. */
  readonly order: readonly string[]
  /** Goes up with every look at the book, so that rows that stay where they are are drawn anew. */
  readonly revision: number
  /** Goes up when the operator asked for another order or another part: reading begins at the top again. */
  readonly asked: number
  /** Locks in the scope, and those of them that the filter lets through. Gone ones do not count. */
  readonly total: number
  readonly matching: number
  readonly attention: { readonly expired: number; readonly endless: number; readonly expiring: number }
  /** While the operator points at the rows they stay where they are; so many new ones wait. */
  readonly pointing: boolean
  readonly waiting: number
  readonly active: string | null
  readonly selected: ReadonlySet<string>
}

export const table = createStore<TableState>(() => ({
  scope: null,
  filterText: '',
  filter: parseFilter(''),
  order: [],
  revision: 0,
  asked: 0,
  total: 0,
  matching: 0,
  attention: { expired: 0, endless: 0, expiring: 0 },
  pointing: false,
  waiting: 0,
  active: null,
  selected: new Set(),
}))

/** When the first lock will change its state by the mere passing of time. */
let nextTransition = Number.POSITIVE_INFINITY
let sweeping = false

export function startTable(): void {
  let arrangedAt = 0
  let late = false
  const look = () => {
    const covered = isCovered()
    late = covered && Date.now() - arrangedAt < COVERED_MS
    if (late) return
    arrangedAt = Date.now()
    arrange(false)
  }
  book.subscribe(look)
  overlay.subscribe(() => late && look())
  viewStore.subscribe(() => late && look())
  preferences.subscribe((now, before) => {
    if (now.sort === before.sort) return
    table.setState(state => ({ asked: state.asked + 1 }))
    arrange(true)
  })
  consoleStore.subscribe((now, before) => now.entries !== before.entries && arrange(false))
  onTick(() => {
    if (late) look()
    else if (Date.now() >= nextTransition || sweeping) arrange(false)
  })
}

/** Nobody reads rows that are covered, and what is there instead needs the time: sorting very many takes long. */
const COVERED_MS = 3000

function isCovered(): boolean {
  const kind = overlay.getState().dialog?.kind
  return viewStore.getState().view !== 'locks' || kind === 'plan' || kind === 'audit'
}

export function setFilter(filterText: string): void {
  table.setState(state => ({ filterText, filter: parseFilter(filterText), asked: state.asked + 1 }))
  arrange(true)
}

export function setScope(scope: string | null): void {
  table.setState(state => ({ scope, asked: state.asked + 1 }))
  arrange(true)
}

export function setPointing(pointing: boolean): void {
  if (table.getState().pointing === pointing) return
  table.setState({ pointing })
  if (!pointing) arrange(true)
}

export function toggleSelected(rowId: string): void {
  const selected = new Set(table.getState().selected)
  if (!selected.delete(rowId)) selected.add(rowId)
  table.setState({ selected })
}

type Arranged = { row: Row; rank: number; now: number }

/**
 * Filters and sorts the book. Unless it was asked for, rows do not move under somebody who points at them: what changes
 * changes in its place, what is gone stays as gone, and what is new waits.
 */
export function arrange(askedFor: boolean): void {
  const { entries, entriesKnown } = consoleStore.getState()
  const { scope } = table.getState()
  // A store that is closed or removed has nothing to show; the others have.
  if (scope !== null && entriesKnown && !entries.some(each => each.storeId === scope && each.open))
    table.setState({ scope: null })
  const state = table.getState()
  const stores = new Map(entries.map(each => [each.storeId, each]))
  const localNow = Date.now()
  const hold = state.pointing && !askedFor
  if (!hold) sweeping = book.sweep(localNow)

  const arranged: Arranged[] = []
  const attention = { expired: 0, endless: 0, expiring: 0 }
  let total = 0
  let matching = 0
  nextTransition = Number.POSITIVE_INFINITY
  const offsets = new Map<string, number>()
  for (const row of book.rows.values()) {
    const store = stores.get(row.storeId)
    if (!store?.open || (state.scope !== null && row.storeId !== state.scope)) continue
    let offset = offsets.get(row.storeId)
    if (offset === undefined) {
      offset = statusOf(consoleStore.getState(), row.storeId).offsetMs
      offsets.set(row.storeId, offset)
    }
    const gone = row.change === 'gone'
    const now = (gone ? row.changedAt : localNow) + offset
    const rank = attentionRank(row.lock, now)
    if (!gone) {
      total++
      if (rank === 0) attention.expired++
      else if (rank === 1) attention.endless++
      else if (rank === 2) attention.expiring++
      nextTransition = Math.min(nextTransition, transitionAfter(row, now) - offset)
    }
    const subject = {
      lock: row.lock,
      storeName: store.name,
      storeKind: store.kind,
      production: store.production,
    }
    if (!matches(state.filter, subject, now)) continue
    if (!gone) matching++
    arranged.push({ row, rank, now })
  }

  const counts = { total, matching, attention, revision: state.revision + 1 }
  if (hold) {
    const shown = new Set(state.order)
    const waiting = arranged.reduce((sum, { row }) => sum + (shown.has(row.rowId) ? 0 : 1), 0)
    table.setState({ ...counts, waiting })
    return
  }
  arranged.sort(comparer(new Map(entries.map(each => [each.storeId, each.name]))))
  const order = arranged.map(each => each.row.rowId)
  const selected = [...state.selected].every(id => book.rows.has(id))
    ? state.selected
    : new Set([...state.selected].filter(id => book.rows.has(id)))
  table.setState({ ...counts, order, waiting: 0, selected })
}

function comparer(names: ReadonlyMap<string, string>): (a: Arranged, b: Arranged) => number {
  const { column, descending } = preferences.getState().sort
  const sign = descending ? -1 : 1
  const fall = (a: Arranged, b: Arranged) =>
    compare(a.row.lock.key, b.row.lock.key) || compare(a.row.rowId, b.row.rowId)
  switch (column) {
    case 'attention':
      return (a, b) => a.rank - b.rank || byDeadline(a, b) || compare(sinceOf(a), sinceOf(b)) || fall(a, b)
    case 'state':
      return (a, b) => sign * (a.rank - b.rank) || byDeadline(a, b) || fall(a, b)
    case 'remaining':
      return (a, b) => sign * byDeadline(a, b) || fall(a, b)
    case 'age':
      // The oldest first is what `descending` age means: the smallest start.
      return (a, b) => -sign * compare(sinceOf(a), sinceOf(b)) || fall(a, b)
    case 'key':
      return (a, b) => sign * compare(a.row.lock.key, b.row.lock.key) || fall(a, b)
    case 'holder':
      return (a, b) => sign * compare(holderText(a.row.lock), holderText(b.row.lock)) || fall(a, b)
    case 'format':
      return (a, b) => sign * compare(a.row.lock.format, b.row.lock.format) || fall(a, b)
    case 'store':
      return (a, b) =>
        sign * compare(names.get(a.row.storeId) ?? '', names.get(b.row.storeId) ?? '') || fall(a, b)
  }
}

function byDeadline(a: Arranged, b: Arranged): number {
  return compare(expiresAtOf(a.row.lock.lease) ?? Infinity, expiresAtOf(b.row.lock.lease) ?? Infinity)
}

function sinceOf({ row }: Arranged): number {
  return heldSinceOf(row.lock)?.at ?? Infinity
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The store's time at which the state of a lock changes next by itself. */
function transitionAfter({ lock }: Row, now: number): number {
  const end = expiresAtOf(lock.lease)
  if (end === null || end <= now) return Number.POSITIVE_INFINITY
  if (lock.acquiredAt === null || lock.acquiredAt >= end) return end
  const expiring = lock.acquiredAt + EXPIRING_FRACTION * (end - lock.acquiredAt)
  return expiring > now ? expiring : end
}
