import { expect, test } from 'vitest'
import {
  ownSetting,
  settingFor,
  typedNumber,
  unitFor,
  withSetting,
} from '../../renderer/features/alerts/rule-draft.ts'
import { RULES, type RuleBook, settingOf } from '../../shared/alerts.ts'

const EMPTY: RuleBook = { all: {}, stores: {}, notify: true }
const strict = { enabled: true, limit: 0.5, forMs: 0 }

test('a rule of one store does not change the others', () => {
  const book = withSetting(EMPTY, 'lease-used', 'memory:one', strict)
  expect(settingOf(book, 'lease-used', 'memory:one')).toEqual(strict)
  expect(settingOf(book, 'lease-used', 'memory:two')).toEqual(RULES['lease-used'].usual)
  expect(settingFor(book, 'lease-used', null)).toEqual(RULES['lease-used'].usual)
  expect(ownSetting(book, 'lease-used', 'memory:two')).toBeUndefined()
})

test('what holds for all holds where nothing else was decided', () => {
  const book = withSetting(EMPTY, 'lease-used', null, strict)
  expect(settingFor(book, 'lease-used', 'memory:one')).toEqual(strict)
})

test('a decision that is taken back leaves nothing behind', () => {
  const once = withSetting(withSetting(EMPTY, 'expired', 'memory:one', strict), 'expired', null, strict)
  const back = withSetting(withSetting(once, 'expired', 'memory:one', undefined), 'expired', null, undefined)
  expect(back).toEqual(EMPTY)
})

test('times are shown in the unit that fits them', () => {
  expect([0, 1500, 15_000, 60_000, 5_400_000, 7_200_000].map(unitFor)).toEqual([
    's',
    's',
    's',
    'min',
    'min',
    'h',
  ])
})

test('only a number of zero or more is one', () => {
  expect(['5', ' 0.5 ', '0'].map(typedNumber)).toEqual([5, 0.5, 0])
  expect(['', ' ', '-1', 'x', '1e999', 'NaN'].map(typedNumber)).toEqual([null, null, null, null, null, null])
})
