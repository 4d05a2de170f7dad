import { expect, test, vi } from 'vitest'
import { GONE_SHOWN_MS, LockBook, rowIdOf } from '../../../renderer/state/lock-book.ts'
import { watchedLock } from '../a-row.ts'

const serverTime = 0
function book() {
  const all = new LockBook()
  const change = (id: string) => all.rows.get(rowIdOf('s', id))?.change
  return { all, change }
}
const snapshot = (...ids: string[]) => ({
  type: 'snapshot' as const,
  locks: ids.map(id => watchedLock(id)),
  unrecognised: 0,
  serverTime,
  complete: true,
})

test('a snapshot highlights nothing, later changes are highlighted', () => {
  const { all, change } = book()
  all.apply('s', snapshot('a', 'b'))
  expect([change('a'), change('b')]).toEqual([null, null])
  all.apply('s', { type: 'upsert', locks: [watchedLock('b'), watchedLock('c')], serverTime })
  expect([change('a'), change('b'), change('c')]).toEqual([null, 'changed', 'new'])
})

test('the pages that complete a snapshot highlight nothing', () => {
  const { all, change } = book()
  all.apply('s', snapshot('a'))
  all.apply('s', { type: 'upsert', locks: [watchedLock('b')], serverTime }, true)
  expect(change('b')).toBe(null)
})

test('a gone row stays visible for a while and is then dropped', () => {
  const { all, change } = book()
  all.apply('s', snapshot('a', 'b'))
  all.apply('s', { type: 'remove', ids: ['a', 'never-there'], serverTime })
  expect(change('a')).toBe('gone')
  expect(all.sweep(Date.now())).toBe(true)
  expect(all.rows.size).toBe(2)
  expect(all.sweep(Date.now() + GONE_SHOWN_MS)).toBe(false)
  expect([...all.rows.keys()]).toEqual([rowIdOf('s', 'b')])
})

test('a lock acquired again while its row is shown as gone counts as new', () => {
  const { all, change } = book()
  all.apply('s', snapshot('a'))
  all.apply('s', { type: 'remove', ids: ['a'], serverTime })
  all.apply('s', { type: 'upsert', locks: [watchedLock('a')], serverTime })
  expect(change('a')).toBe('new')
})

test('a snapshot drops missing locks of its own store only', () => {
  const { all } = book()
  all.apply('s', snapshot('a', 'b'))
  all.apply('other', snapshot('a'))
  all.apply('s', snapshot('b'))
  expect([...all.rows.keys()].sort()).toEqual([rowIdOf('other', 'a'), rowIdOf('s', 'b')])
  all.forget('other')
  expect(all.rows.size).toBe(1)
})

test('notifies once for a thousand events', () => {
  vi.useFakeTimers()
  const { all } = book()
  const told = vi.fn()
  all.revision.subscribe(told)
  for (let i = 0; i < 1000; i++) all.apply('s', { type: 'upsert', locks: [watchedLock(`k${i}`)], serverTime })
  vi.advanceTimersByTime(1000)
  vi.useRealTimers()
  expect(told).toHaveBeenCalledTimes(1)
})
