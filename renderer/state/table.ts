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
  /** A store id, or null for all stores. */
  readonly scope: string | null
  readonly filterText: string
  readonly filter: Filter
  /** The rows in the order of the screen; the rows themselves are in the book. */
  readonly order: readonly string[]
  /** Increases with every pass over the book, so that rows which do not move are redrawn too. */
  readonly revision: number
  /** Increases when the operator sorts, filters or changes the scope, which scrolls to the top. */
  readonly requests: number
  /** Locks in the scope, and those that match the filter, without the ones that are gone. */
  readonly total: number
  readonly matching: number
  readonly attention: { readonly expired: number; readonly endless: number; readonly expiring: number }
  /** While the operator points at rows, they do not move and new ones wait. */
  readonly pointing: boolean
  /** How many new rows wait. */
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
  requests: 0,
  total: 0,
  matching: 0,
  attention: { expired: 0, endless: 0, expiring: 0 },
  pointing: false,
  waiting: 0,
  active: null,
  selected: new Set(),
}))

/** When the next lock changes its state because time passes. */
let nextTransition = Number.POSITIVE_INFINITY
let sweeping = false

export function startTable(): void {
  let arrangedAt = 0
  let isLate = false
  const refresh = () => {
    isLate = isCovered() && Date.now() - arrangedAt < COVERED_MS
    if (isLate) return
    arrangedAt = Date.now()
    arrange(false)
  }
  book.subscribe(refresh)
  overlay.subscribe(() => isLate && refresh())
  viewStore.subscribe(() => isLate && refresh())
  preferences.subscribe((now, before) => {
    if (now.sort === before.sort) return
    table.setState(state => ({ requests: state.requests + 1 }))
    arrange(true)
  })
  consoleStore.subscribe((now, before) => now.entries !== before.entries && arrange(false))
  onTick(() => {
    if (isLate) refresh()
    else if (Date.now() >= nextTransition || sweeping) arrange(false)
  })
}

/** A covered table is sorted this often at most: sorting many rows takes long, and what covers it needs the time. */
const COVERED_MS = 3000

function isCovered(): boolean {
  const kind = overlay.getState().dialog?.kind
  return viewStore.getState().view !== 'locks' || kind === 'plan' || kind === 'audit'
}

export function setFilter(filterText: string): void {
  table.setState(state => ({ filterText, filter: parseFilter(filterText), requests: state.requests + 1 }))
  arrange(true)
}

export function setScope(scope: string | null): void {
  table.setState(state => ({ scope, requests: state.requests + 1 }))
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

type RankedRow = { row: Row; rank: number; now: number }

/**
 * Filters and sorts the book. Unless the operator requested it, rows do not move while the operator points at them:
 * changed rows change in place, gone rows stay marked as gone, and new rows wait.
 */
export function arrange(isRequested: boolean): void {
  const { entries, entriesKnown } = consoleStore.getState()
  const { scope } = table.getState()
  // A closed or removed store has no rows, so all stores are shown.
  if (scope !== null && entriesKnown && !entries.some(each => each.storeId === scope && each.open))
    table.setState({ scope: null })
  const state = table.getState()
  const stores = new Map(entries.map(each => [each.storeId, each]))
  const localNow = Date.now()
  const isFrozen = state.pointing && !isRequested
  if (!isFrozen) sweeping = book.sweep(localNow)

  const arranged: RankedRow[] = []
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
  if (isFrozen) {
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

function comparer(names: ReadonlyMap<string, string>): (a: RankedRow, b: RankedRow) => number {
  const { column, descending } = preferences.getState().sort
  const sign = descending ? -1 : 1
  const byKey = (a: RankedRow, b: RankedRow) =>
    compare(a.row.lock.key, b.row.lock.key) || compare(a.row.rowId, b.row.rowId)
  switch (column) {
    case 'attention':
      return (a, b) => a.rank - b.rank || byDeadline(a, b) || compare(sinceOf(a), sinceOf(b)) || byKey(a, b)
    case 'state':
      return (a, b) => sign * (a.rank - b.rank) || byDeadline(a, b) || byKey(a, b)
    case 'remaining':
      return (a, b) => sign * byDeadline(a, b) || byKey(a, b)
    case 'age':
      // Descending age is ascending start.
      return (a, b) => -sign * compare(sinceOf(a), sinceOf(b)) || byKey(a, b)
    case 'key':
      return (a, b) => sign * compare(a.row.lock.key, b.row.lock.key) || byKey(a, b)
    case 'holder':
      return (a, b) => sign * compare(holderText(a.row.lock), holderText(b.row.lock)) || byKey(a, b)
    case 'format':
      return (a, b) => sign * compare(a.row.lock.format, b.row.lock.format) || byKey(a, b)
    case 'store':
      return (a, b) =>
        sign * compare(names.get(a.row.storeId) ?? '', names.get(b.row.storeId) ?? '') || byKey(a, b)
  }
}

function byDeadline(a: RankedRow, b: RankedRow): number {
  return compare(expiresAtOf(a.row.lock.lease) ?? Infinity, expiresAtOf(b.row.lock.lease) ?? Infinity)
}

function sinceOf({ row }: RankedRow): number {
  return heldSinceOf(row.lock)?.at ?? Infinity
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The store time at which the lock's state changes next by itself. */
function transitionAfter({ lock }: Row, now: number): number {
  const end = expiresAtOf(lock.lease)
  if (end === null || end <= now) return Number.POSITIVE_INFINITY
  if (lock.acquiredAt === null || lock.acquiredAt >= end) return end
  const expiring = lock.acquiredAt + EXPIRING_FRACTION * (end - lock.acquiredAt)
  return expiring > now ? expiring : end
}
