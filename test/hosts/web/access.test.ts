import { expect, it } from 'vitest'
import { createAccess, MOST_SESSIONS, type Visitor } from '../../../electron/hosts/web/access.ts'

function access() {
  const at = { now: 0 }
  const ended: Visitor[] = []
  const access = createAccess({ idleMs: 1000, onEnd: visitor => ended.push(visitor), now: () => at.now })
  const letIn = () => `Bearer ${access.exchange(access.newToken())?.session}`
  return { ...access, at, ended, letIn }
}

it('a session ends when it was idle, and not while a page is open or requests come', () => {
  const { visitor, closedPage, letIn, at } = access()
  const [used, open, idle] = [letIn(), letIn(), letIn()]
  const page = visitor(open) as Visitor
  page.openPages++
  for (const now of [600, 1200, 1800]) {
    at.now = now
    expect(visitor(used)).not.toBeNull()
  }
  expect(visitor(idle)).toBeNull()
  at.now = 10_000
  closedPage(page)
  at.now = 10_999
  expect(visitor(open)).toBe(page)
  at.now = 12_000
  expect(visitor(open)).toBeNull()
})

it('one session more than the most ends the least recently used one', () => {
  const { visitor, letIn, at, ended } = access()
  const all = Array.from({ length: MOST_SESSIONS }, () => letIn())
  at.now = 1
  for (const each of all.slice(1)) visitor(each)
  all.push(letIn())
  expect(ended).toHaveLength(1)
  expect(all.map(each => visitor(each) !== null)).toEqual([false, ...all.slice(1).map(() => true)])
})
