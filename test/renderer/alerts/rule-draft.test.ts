import { expect, test } from 'vitest'
import {
  ALL,
  isWrong,
  ownSetting,
  shownSetting,
  typedSetting,
  withDraft,
  withSetting,
} from '../../../renderer/features/alerts/rule-draft.ts'
import { ALERT_RULES, RULES, type RuleBook, settingOf } from '../../../shared/alerts.ts'

const EMPTY: RuleBook = { all: {}, stores: {}, notify: true }
const strict = { enabled: true, limit: 0.5, forMs: 0 }

test('a rule of one store does not change the others', () => {
  const book = withSetting(EMPTY, 'lease-used', 'memory:one', strict)
  expect(settingOf(book, 'lease-used', 'memory:one')).toEqual(strict)
  expect(settingOf(book, 'lease-used', 'memory:two')).toEqual(RULES['lease-used'].defaults)
  expect(settingOf(book, 'lease-used', ALL)).toEqual(RULES['lease-used'].defaults)
  expect(ownSetting(book, 'lease-used', 'memory:two')).toBeUndefined()
})

test('the setting for all stores applies to stores without their own', () => {
  const book = withSetting(EMPTY, 'lease-used', ALL, strict)
  expect(settingOf(book, 'lease-used', 'memory:one')).toEqual(strict)
})

test('resetting a rule removes its own setting', () => {
  const once = withSetting(withSetting(EMPTY, 'expired', 'memory:one', strict), 'expired', ALL, strict)
  const back = withSetting(withSetting(once, 'expired', 'memory:one', undefined), 'expired', ALL, undefined)
  expect(back).toEqual(EMPTY)
})

test('times are shown in the unit that fits them', () => {
  const shown = [0, 1500, 15_000, 60_000, 5_400_000, 7_200_000].map(ms =>
    shownSetting('expired', 'forMs', ms),
  )
  expect(shown.map(({ text, unit }) => `${text} ${unit}`)).toEqual([
    ...['0 s', '1.5 s', '15 s', '1 min', '90 min', '2 h'],
  ])
})

test('only a number of zero or more is one', () => {
  const seconds = (text: string) => typedSetting('held-long', 'limit', { text, unit: 's' })
  expect(['5', ' 0.5 ', '0'].map(seconds)).toEqual([5000, 500, 0])
  expect(['', ' ', '-1', 'x', '1e999', 'NaN'].map(seconds)).toEqual(Array(6).fill(null))
})

test('a part of a lease is above 0 and up to 100 %, and a count is whole', () => {
  const limit = (rule: 'lease-used' | 'contention' | 'held-long', text: string) =>
    typedSetting(rule, 'limit', { text, unit: 'min' })
  expect(['80', '0.5', '100'].map(text => limit('lease-used', text))).toEqual([0.8, 0.005, 1])
  expect(['0', '180', '100.1', '-1', 'x'].map(text => limit('lease-used', text))).toEqual(Array(5).fill(null))
  expect(['20', '0', '2.5'].map(text => limit('contention', text))).toEqual([20, null, null])
  expect(['90', '0', 'abc'].map(text => limit('held-long', text))).toEqual([5_400_000, 0, null])
})

test('a rule waits for a day at most', () => {
  const wait = (text: string) => typedSetting('expired', 'forMs', { text, unit: 'h' })
  expect(['0', '24', '24.1'].map(wait)).toEqual([0, 86_400_000, null])
})

test('a default is shown as typed text', () => {
  for (const rule of ALERT_RULES)
    for (const field of ['limit', 'forMs'] as const) {
      const value = RULES[rule].defaults[field]
      if (value !== null) expect(typedSetting(rule, field, shownSetting(rule, field, value))).toBe(value)
    }
})

test('keeps the errors of all stores while another store is fixed', () => {
  const all = { address: ALL, rule: 'lease-used', field: 'limit', text: '180', unit: 's' } as const
  const one = { ...all, address: 'memory:one', text: 'x' }
  const both = withDraft(withDraft([], all), one)
  expect(both.filter(isWrong)).toEqual([all, one])
  expect(withDraft(both, { ...one, text: '80' }).filter(isWrong)).toEqual([all])
  expect(withDraft(both, { ...all, text: '190' }).map(({ text }) => text)).toEqual(['x', '190'])
})
