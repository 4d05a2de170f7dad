import { createStore } from 'zustand/vanilla'
import { matches, parseFilter } from '../../shared/filter.ts'
import { attentionRank, compare, EXPIRING_FRACTION, expiresAtOf, heldSinceOf } from '../../shared/lease.ts'
import { holderText } from '../../shared/lock-words.ts'
import { onTick } from './clock.ts'
import { book, consoleStore, statusOf } from './console.ts'
import type { Row } from './lock-book.ts'
import { preferences, type Sort } from './preferences.ts'
import { atLocks, inspect, overlay, viewStore } from './view.ts'

const INITIAL = {
  /** A store id, or null for all stores. */
  scope: null as string | null,
  filterText: '',
  filter: parseFilter(''),
  /** The rows in the order of the screen; the rows themselves are in the book. */
  order: [] as readonly string[],
  /** Increases with every pass over the book, so that rows which do not move are redrawn too. */
  revision: 0,
  /** Increases when the operator sorts, filters or changes the scope, which scrolls to the top. */
  requests: 0,
  /** Locks in the scope, and those that match the filter, without the ones that are gone. */
  total: 0,
  matching: 0,
  attention: { expired: 0, endless: 0, expiring: 0 },
  /** While the operator points at rows, they do not move and new ones wait. */
  pointing: false,
  /** How many new rows wait. */
  waiting: 0,
  active: null as string | null,
  selected: new Set() as ReadonlySet<string>,
}

export const table = createStore<Readonly<typeof INITIAL>>(() => INITIAL)

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
  book.revision.subscribe(refresh)
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

/** Rows may move again this long after the last key or pointer movement. */
const STILL_MS = 5000
let still: ReturnType<typeof setTimeout> | undefined

/** Rows stay in place while the operator points at them with the mouse or the keys. */
export function setPointing(pointing: boolean): void {
  clearTimeout(still)
  if (pointing) still = setTimeout(() => setPointing(false), STILL_MS)
  if (table.getState().pointing === pointing) return
  table.setState({ pointing })
  if (!pointing) arrange(true)
}

export function inspectRow(rowId: string): void {
  const row = book.rows.get(rowId)
  if (row) inspect({ storeId: row.storeId, id: row.lock.id })
}

export function activate(rowId: string): void {
  table.setState({ active: rowId })
  inspectRow(rowId)
}

export function toggleSelected(rowId: string): void {
  const selected = new Set(table.getState().selected)
  if (!selected.delete(rowId)) selected.add(rowId)
  table.setState({ selected })
}

type RankedRow = {
  readonly row: Row
  readonly storeName: string
  readonly rank: number
}

/**
 * Filters and sorts the book. Unless the operator requested it, rows do not move while the operator points at them:
 * changed rows change in place, gone rows stay marked as gone, and new rows wait.
 */
export function arrange(isRequested: boolean): void {
  const console = consoleStore.getState()
  const stores = new Map(console.entries.filter(each => each.open).map(each => [each.storeId, each]))
  const { scope, ...state } = table.getState()
  // A closed or removed store has no rows, so all stores are shown.
  const isScoped = scope !== null && (stores.has(scope) || !console.entriesKnown)
  const localNow = Date.now()
  const isFrozen = state.pointing && !isRequested
  if (!isFrozen) sweeping = book.sweep(localNow)

  const arranged: RankedRow[] = []
  const attention = { expired: 0, endless: 0, expiring: 0 }
  let total = 0
  let matching = 0
  nextTransition = Number.POSITIVE_INFINITY
  for (const row of book.rows.values()) {
    const store = stores.get(row.storeId)
    if (!store || (isScoped && row.storeId !== scope)) continue
    const { offsetMs } = statusOf(console, row.storeId)
    const gone = row.change === 'gone'
    const now = (gone ? row.changedAt : localNow) + offsetMs
    const rank = attentionRank(row.lock, now)
    if (!gone) {
      total++
      if (rank === 0) attention.expired++
      else if (rank === 1) attention.endless++
      else if (rank === 2) attention.expiring++
      nextTransition = Math.min(nextTransition, transitionAfter(row, now) - offsetMs)
    }
    const subject = {
      lock: row.lock,
      storeName: store.name,
      storeKind: store.kind,
      production: store.production,
    }
    if (!matches(state.filter, subject, now)) continue
    if (!gone) matching++
    arranged.push({ row, storeName: store.name, rank })
  }

  const revision = state.revision + 1
  const counts = { scope: isScoped ? scope : null, total, matching, attention, revision }
  if (isFrozen) {
    const shown = new Set(state.order)
    const waiting = arranged.filter(({ row }) => !shown.has(row.rowId)).length
    table.setState({ ...counts, waiting })
    return
  }
  const order = arranged.sort(comparer()).map(each => each.row.rowId)
  const kept = [...state.selected].filter(rowId => book.rows.has(rowId))
  const selected = kept.length === state.selected.size ? state.selected : new Set(kept)
  table.setState({ ...counts, order, waiting: 0, selected })
}

const deadlineOf = ({ row }: RankedRow) => expiresAtOf(row.lock.lease) ?? Infinity
const sinceOf = ({ row }: RankedRow) => heldSinceOf(row.lock)?.at ?? Infinity

const SORTED_BY: Readonly<Record<Sort['column'], (ranked: RankedRow) => string | number>> = {
  attention: ({ rank }) => rank,
  state: ({ rank }) => rank,
  remaining: deadlineOf,
  age: ranked => -sinceOf(ranked),
  key: ({ row }) => row.lock.key,
  holder: ({ row }) => holderText(row.lock),
  format: ({ row }) => row.lock.format,
  store: ({ storeName }) => storeName,
}

/** Equal rows are in the order of their keys; of the same state, those that end first, then the oldest. */
function comparer(): (a: RankedRow, b: RankedRow) => number {
  const { column, descending } = preferences.getState().sort
  const sign = descending ? -1 : 1
  const sortedBy = SORTED_BY[column]
  const byState = column === 'attention' || column === 'state'
  return (a, b) =>
    sign * compare(sortedBy(a), sortedBy(b)) ||
    (byState && (compare(deadlineOf(a), deadlineOf(b)) || compare(sinceOf(a), sinceOf(b)))) ||
    compare(a.row.lock.key, b.row.lock.key) ||
    compare(a.row.rowId, b.row.rowId)
}

/** The store time at which the lock's state changes next by itself. */
function transitionAfter({ lock }: Row, now: number): number {
  const end = expiresAtOf(lock.lease)
  if (end === null || end <= now) return Number.POSITIVE_INFINITY
  if (lock.acquiredAt === null || lock.acquiredAt >= end) return end
  const expiring = lock.acquiredAt + EXPIRING_FRACTION * (end - lock.acquiredAt)
  return expiring > now ? expiring : end
}

/** Shows the locks of this name in all stores. */
export function lookForName(name: string): void {
  atLocks(() => {
    setScope(null)
    // A quotation mark would end the quotation; the part before it finds the name as well.
    setFilter(`key:"${name.split('"')[0] ?? ''}"`)
  })
}
