import { expect, test } from 'vitest'
import { planAsCsv, planAsJson, planFileName } from '../../../renderer/features/plans/plan-files.ts'
import { PlanBook } from '../../../renderer/state/plan-book.ts'
import { planEntry, planSummary } from '../a-plan.ts'

const PLAN = planSummary(3, { exclusions: [{ by: 'lock', value: '2' }] }, { state: 'done' })

function applied(): PlanBook {
  const book = new PlanBook('p1')
  book.take(PLAN)
  book.apply({
    type: 'entries',
    entries: [planEntry(0, { key: '=cmd|calc' }), planEntry(1), planEntry(2)],
  })
  book.apply({
    type: 'results',
    results: [
      { n: 0, result: { is: 'released', at: Date.UTC(2027, 0, 15) } },
      {
        n: 1,
        result: { is: 'failed', at: 1, error: { code: 'STORE_ERROR', message: 'lost', uncertain: true } },
      },
    ],
  })
  book.apply({ type: 'returned', places: [0] })
  return book
}

test('the CSV has a line for every lock, excluded or not, and no formula', () => {
  const [head = '', first = '', second = '', third = '', ...more] = planAsCsv(applied(), PLAN)
  expect(more).toEqual([])
  const columns = head.trim().split(',')
  const column = (line: string, name: string) => line.trim().split(',')[columns.indexOf(name)]
  expect(column(first, 'key')).toBe(`"'=cmd|calc"`)
  expect(['result', 'result_at', 'came_back'].map(name => column(first, name))).toEqual([
    'released',
    '2027-01-15T00:00:00.000Z',
    'yes',
  ])
  expect(['result', 'uncertain', 'error'].map(name => column(second, name))).toEqual([
    'failed',
    'yes',
    'lost',
  ])
  expect(['excluded', 'result'].map(name => column(third, name))).toEqual(['yes', ''])
})

test('the JSON is one document with every lock and its result', () => {
  const read = JSON.parse(planAsJson(applied(), PLAN).join(''))
  expect(read.plan).toMatchObject({ planId: 'p1', kind: 'release' })
  expect(read.plan).not.toHaveProperty('file')
  expect(read.locks).toMatchObject([
    { key: '=cmd|calc', excluded: false, returned: true, result: { is: 'released' } },
    { result: { is: 'failed' } },
    { excluded: true, result: null },
  ])
})

test('a file name has only letters and digits, whatever the plan id', () => {
  expect(planFileName({ ...PLAN, planId: '../..\\evil\u202e' }, 'csv')).toBe('lockkeeper-release-evil.csv')
})
