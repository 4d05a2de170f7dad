import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StoreEntry } from '../../../shared/stores.ts'
import { endsAt, watchedLock } from '../a-row.ts'

// What the modules touch of a page when they are loaded. The rest of the screen is tested in real browsers.
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })

const { book, consoleStore } = await import('../../../renderer/state/console.ts')
const { GONE_SHOWN_MS } = await import('../../../renderer/state/lock-book.ts')
const { preferences } = await import('../../../renderer/state/preferences.ts')
const { arrange, setFilter, setPointing, setScope, table, toggleSelected } = await import(
  '../../../renderer/state/table.ts'
)
const { sortBy } = await import('../../../renderer/state/preferences.ts')

const NOW = 1_800_000_000_000
const serverTime = NOW

function store(storeId: string, changes: Partial<StoreEntry> = {}): StoreEntry {
  return {
    storeId,
    name: storeId,
    address: 'memory:x',
    colour: 'teal',
    production: false,
    readOnly: false,
    own: { production: false, readOnly: false },
    productionName: null,
    rulesFrom: [],
    kind: 'memory',
    open: true,
    revision: 1,
    origin: 'saved',
    password: 'none',
    problem: null,
    ...changes,
  }
}

function put(storeId: string, ...locks: ReturnType<typeof watchedLock>[]): void {
  book.apply(storeId, { type: 'upsert', locks, serverTime })
  arrange(false)
}
const keys = () => table.getState().order.map(rowId => rowId.split(' ').slice(1).join(' '))

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
  consoleStore.setState({ entries: [store('a'), store('b', { production: true })] })
})
afterEach(() => {
  book.forget('a')
  book.forget('b')
  setPointing(false)
  setFilter('')
  setScope(null)
  preferences.setState({ sort: { column: 'attention', descending: false } })
  vi.useRealTimers()
})

const held = (id: string, endsInMs: number) => watchedLock(id, endsAt(NOW + endsInMs), NOW)

test('locks that need attention come first, then those that end first', () => {
  put(
    'a',
    held('late', 900_000),
    held('soon', 600_000),
    watchedLock('endless', { lease: { kind: 'never' } }, NOW),
  )
  put('b', watchedLock('expired', { acquiredAt: NOW - 99_000, ...endsAt(NOW - 1000) }, NOW))
  expect(keys()).toEqual(['expired', 'endless', 'soon', 'late'])
  expect(table.getState()).toMatchObject({
    total: 4,
    matching: 4,
    attention: { expired: 1, endless: 1, expiring: 0 },
  })
})

test('rows hold still while the operator points at them: new ones wait, gone ones stay', () => {
  put('a', held('one', 100_000), held('two', 200_000))
  setPointing(true)
  put('a', held('zero', 50_000))
  book.apply('a', { type: 'remove', ids: ['one'], serverTime })
  vi.advanceTimersByTime(GONE_SHOWN_MS + 1)
  arrange(false)
  expect(keys()).toEqual(['one', 'two'])
  expect(table.getState()).toMatchObject({ waiting: 1, total: 2, matching: 2 })
  setPointing(false)
  expect(keys()).toEqual(['zero', 'two'])
  expect(table.getState().waiting).toBe(0)
})

test('rows move again some time after the last movement, also if the table is no longer shown', () => {
  put('a', held('one', 100_000))
  setPointing(true)
  put('a', held('zero', 50_000))
  vi.advanceTimersByTime(4000)
  setPointing(true)
  vi.advanceTimersByTime(4000)
  expect(keys()).toEqual(['one'])
  vi.advanceTimersByTime(1000)
  expect(keys()).toEqual(['zero', 'one'])
})

test('requests of the operator take effect at once, pointing or not', () => {
  put('a', held('alpha', 100_000), held('beta', 200_000))
  setPointing(true)
  setFilter('beta')
  expect(keys()).toEqual(['beta'])
  expect(table.getState()).toMatchObject({ total: 2, matching: 1 })
})

test('one store, or all of them', () => {
  put('a', held('one', 100_000))
  put('b', held('two', 200_000))
  setScope('b')
  expect(keys()).toEqual(['two'])
  expect(table.getState().total).toBe(1)
  setFilter('is:production')
  setScope(null)
  expect(keys()).toEqual(['two'])
})

test('clicking a column sorts, reverses, and returns to attention', () => {
  put('a', held('b', 100_000), held('a', 200_000))
  const seen: string[][] = []
  for (let i = 0; i < 3; i++) {
    sortBy('key')
    arrange(true)
    seen.push(keys())
  }
  expect(seen).toEqual([
    ['a', 'b'],
    ['b', 'a'],
    ['b', 'a'],
  ])
  expect(preferences.getState().sort.column).toBe('attention')
})

test('a selection survives updates and loses only locks that are gone', () => {
  put('a', held('one', 100_000), held('two', 200_000))
  for (const rowId of table.getState().order) toggleSelected(rowId)
  put('a', held('one', 300_000))
  expect(table.getState().selected.size).toBe(2)
  book.apply('a', { type: 'remove', ids: ['two'], serverTime })
  vi.advanceTimersByTime(GONE_SHOWN_MS)
  arrange(false)
  expect([...table.getState().selected]).toEqual(['a one'])
})

test('a removed store has no rows', () => {
  put('a', held('one', 100_000))
  consoleStore.setState({ entries: [store('b')] })
  arrange(false)
  expect(keys()).toEqual([])
})
