import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PlanBook, planOrder, SHOW_ALL, type Show } from '../../../renderer/state/plan-book.ts'
import { type Exclusion, isUncertain, type PlanChange, type PlanResult } from '../../../shared/plans.ts'
import { planEntry, planSummary } from '../a-plan.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const LOCKS = [
  planEntry(0, { key: 'pipeline:ACME', state: 'expired' }),
  planEntry(1, { holder: 'scheduler' }),
  planEntry(2, { holder: 'scheduler', store: 1 }),
  planEntry(3, { owner: null, store: 1 }),
]

function book(exclusions: Exclusion[] = [], state: 'ready' | 'done' = 'ready'): PlanBook {
  const made = new PlanBook('p1')
  made.apply({ type: 'plan', plan: planSummary(LOCKS.length, { exclusions }, { state }) })
  made.apply({ type: 'entries', entries: LOCKS })
  return made
}
const shown = (of: PlanBook, show: Show = SHOW_ALL, search = '', changes: PlanChange[] | null = null) =>
  planOrder(of, show, search, changes && new Map(changes.map(each => [each.n, each])))

test('a plan is loaded once every lock has arrived, in any number of pages', () => {
  const made = new PlanBook('p1')
  expect(made.loaded).toBe(false)
  made.apply({ type: 'plan', plan: planSummary(4) })
  made.apply({ type: 'entries', entries: LOCKS.slice(0, 2) })
  expect(made.loaded).toBe(false)
  made.apply({ type: 'entries', entries: LOCKS.slice(2) })
  expect(made.loaded).toBe(true)
  expect(shown(made)).toEqual([0, 1, 2, 3])
})

test('many events notify the screen once; a change of the plan notifies at once', () => {
  const made = book()
  const told = vi.fn()
  vi.runAllTimers()
  made.changes.subscribe(told)
  for (let i = 0; i < 50; i++)
    made.apply({ type: 'results', results: [{ n: 1, result: { is: 'released', at: i } }] })
  expect(told).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(told).toHaveBeenCalledTimes(1)
  made.apply({ type: 'plan', plan: planSummary(4) })
  expect(told).toHaveBeenCalledTimes(2)
})

test('results leave the groups of the plan as they are', () => {
  const made = book()
  const { shape } = made
  made.apply({ type: 'results', results: [{ n: 1, result: { is: 'released', at: 1 } }] })
  made.apply({ type: 'progress', progress: planSummary(4, {}, { state: 'running' }).progress })
  expect(made.shape).toBe(shape)
  expect(made.plan?.progress.state).toBe('running')
})

test('an exclusion covers every lock in its group, and each group counts what is left of it', () => {
  const made = book([
    { by: 'holder', value: 'scheduler' },
    { by: 'lock', value: '0' },
  ])
  expect([...made.kept()].map(each => each.n)).toEqual([3])
  expect(made.groups('holder').find(each => each.value === 'scheduler')).toEqual({
    value: 'scheduler',
    all: 2,
    kept: 0,
    excluded: true,
  })
  expect(made.groups('store')).toEqual([
    { value: '0', all: 2, kept: 0, excluded: false },
    { value: '1', all: 2, kept: 1, excluded: false },
  ])
  expect(shown(made, { by: 'excluded' })).toEqual([0, 1, 2])
})

test('a lock excluded twice names its group, which must be included first', () => {
  const made = book([
    { by: 'lock', value: '1' },
    { by: 'holder', value: 'scheduler' },
  ])
  expect(LOCKS.map(each => made.excludedBy(each))).toEqual([null, 'holder', 'holder', null])
})

test('the largest group comes first, and unrecorded holders form a group', () => {
  expect(
    book()
      .groups('holder')
      .map(each => each.value),
  ).toEqual(['scheduler', '', 'worker-0'])
})

test('an included lock is in the plan again', () => {
  const made = book([{ by: 'state', value: 'held' }])
  expect([...made.kept()]).toHaveLength(1)
  made.take(planSummary(4))
  expect([...made.kept()]).toHaveLength(4)
})

test('a new stream clears results that it does not repeat', () => {
  const made = book()
  made.apply({ type: 'results', results: [{ n: 0, result: { is: 'tried', at: 1 } }] })
  made.apply({ type: 'returned', places: [2] })
  made.end({ code: 'ABORTED', message: 'gone' })
  made.begin()
  expect([made.results.size, made.returned.size, made.ended]).toEqual([0, 0, null])
  expect(made.entries).toHaveLength(4)
})

test('a withdrawn result is removed', () => {
  const made = book()
  made.apply({ type: 'results', results: [{ n: 0, result: { is: 'tried', at: 1 } }] })
  made.apply({ type: 'results', results: [{ n: 0, result: null }] })
  expect(made.results.has(0)).toBe(false)
})

test('a search matches every word in keys, holders and stores, in any case', () => {
  const made = book()
  expect(shown(made, SHOW_ALL, 'acme')).toEqual([0])
  expect(shown(made, SHOW_ALL, 'orders SCHED')).toEqual([2])
  expect(shown(made, SHOW_ALL, 'orders acme')).toEqual([])
})

test('locks can be listed by result; excluded locks have none', () => {
  const made = book([{ by: 'lock', value: '3' }], 'done')
  const results: PlanResult[] = [
    { is: 'released', at: 1 },
    { is: 'failed', at: 1, error: { code: 'STORE_ERROR', message: 'no', uncertain: true } },
  ]
  made.apply({ type: 'results', results: results.map((result, n) => ({ n, result })) })
  made.apply({ type: 'returned', places: [0] })
  expect(shown(made)).toEqual([0, 1, 2])
  expect(shown(made, { by: 'result', is: 'released' })).toEqual([0])
  expect(shown(made, { by: 'result', is: 'pending' })).toEqual([2])
  expect(shown(made, { by: 'returned' })).toEqual([0])
  expect(shown(made, { by: 'uncertain' })).toEqual([1])
  expect(shown(made, { by: 'excluded' })).toEqual([3])
})

test('locks can be listed by how they changed; unlisted locks are unchanged', () => {
  const made = book([{ by: 'lock', value: '3' }])
  const changes: PlanChange[] = [{ n: 1, now: 'changed', owner: 'other' }]
  expect(shown(made, { by: 'now', now: 'same' }, '', changes)).toEqual([0, 2])
  expect(shown(made, { by: 'now', now: 'changed' }, '', changes)).toEqual([1])
})

test.each<[PlanResult, boolean]>([
  [{ is: 'released', at: 1 }, false],
  [{ is: 'tried', at: 1 }, true],
  [{ is: 'gone', at: 1, perhapsOurs: true }, true],
  [{ is: 'gone', at: 1, perhapsOurs: false }, false],
  [{ is: 'failed', at: 1, error: { code: 'STORE_ERROR', message: 'no' } }, false],
  [{ is: 'failed', at: 1, error: { code: 'STORE_ERROR', message: 'no', uncertain: true } }, true],
])('whether %j may or may not have happened: %s', (result, uncertain) => {
  expect(isUncertain(result)).toBe(uncertain)
})
