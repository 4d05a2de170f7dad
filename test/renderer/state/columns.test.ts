import { expect, test } from 'vitest'
import { shownColumns } from '../../../renderer/state/columns.ts'

const ids = (hidden: Parameters<typeof shownColumns>[0], width: number) =>
  shownColumns(hidden, width).map(column => column.id)

test.each([
  [1080, ['state', 'key', 'holder', 'store', 'format', 'age', 'remaining']],
  [760, ['state', 'key', 'holder', 'age', 'remaining']],
  [480, ['state', 'key', 'remaining']],
  [10, ['state', 'key', 'remaining']],
])('at %i pixels the columns that matter least give way', (width, shown) => {
  expect(ids([], width)).toEqual(shown)
})

test('hidden columns stay hidden, except the key', () => {
  expect(ids(['state', 'key', 'format'], 1080)).toEqual(['key', 'holder', 'store', 'age', 'remaining'])
})
