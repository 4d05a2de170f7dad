import { describe, expect, it } from 'vitest'
import { parseTime } from '../../../../../electron/core/stores/mysql/format/times.ts'

describe('reading a time as the server writes it', () => {
  it.each([
    ['2024-02-29 12:34:56', Date.UTC(2024, 1, 29, 12, 34, 56)],
    ['2024-02-29 12:34:56.789', Date.UTC(2024, 1, 29, 12, 34, 56, 789)],
    ['2024-02-29 12:34:56.789999', Date.UTC(2024, 1, 29, 12, 34, 56, 789)],
    ['9999-12-31 23:59:59', Date.UTC(9999, 11, 31, 23, 59, 59)],
    ['0000-00-00 00:00:00', null],
    ['2024-00-10 00:00:00', null],
    ['2024-02-31 00:00:00', null],
    ['0001-01-01 00:00:00', null],
    ['2024-02-29', null],
    ['1703123456789', null],
    ['', null],
  ])('%s', (text, expected) => {
    expect(parseTime(text)).toBe(expected)
  })
})
