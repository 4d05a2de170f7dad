import { expect, test } from 'vitest'
import {
  localInput,
  newDraft,
  reportFileName,
  requestOf,
  resumeDraft,
  windowOf,
} from '../../../renderer/features/reports/report-draft.ts'
import { reportRequestSchema } from '../../../shared/reports.ts'

const NOW = Date.parse('2026-10-02T12:34:56Z')
const HOUR = 3_600_000

test('a draft begins with the last hour and the filter of the table', () => {
  const draft = newDraft('is:stuck', NOW)
  const request = requestOf(draft, ['a', 'b'], 'file', NOW)
  expect(request).toEqual({ as: 'html', from: NOW - HOUR, to: NOW, filter: 'is:stuck' })
  expect(reportRequestSchema.parse(request)).toEqual(request)
})

test('reopening the sheet restores the draft, without tokens', () => {
  const draft = { ...newDraft('is:stuck', NOW), summary: 'A long story', title: 'Outage', withTokens: true }
  const kept = { draft: { ...draft, filter: 'billing' }, tableFilter: 'is:stuck' }
  const again = resumeDraft(kept, 'is:stuck', NOW + HOUR)
  expect(again).toEqual({ ...kept.draft, withTokens: false })
  // What the table shows now is what is meant now.
  expect(resumeDraft(kept, 'usage', NOW)).toMatchObject({ summary: 'A long story', filter: 'usage' })
  expect(resumeDraft(null, 'usage', NOW)).toEqual(newDraft('usage', NOW))
})

test('an invalid filter makes no request', () => {
  expect(requestOf({ ...newDraft('', NOW), filter: 'state:exp' }, ['a'], 'file', NOW)).toBeNull()
})

test('custom times are local, to the minute', () => {
  const draft = { ...newDraft('', NOW), preset: 'custom' as const }
  const minute = Math.floor(NOW / 60_000) * 60_000
  expect(windowOf(draft, NOW)).toEqual({ from: minute - HOUR, to: minute })
  expect(new Date(localInput(NOW)).getTime()).toBe(minute)
})

test.each([
  ['2026-10-02T12:00', '2026-10-02T12:00'],
  ['2026-10-02T12:00', '2026-10-02T11:00'],
  ['', '2026-10-02T11:00'],
  ['2026-10-02T12:00', 'nonsense'],
])('refuses a window from %j to %j', (from, to) => {
  const draft = { ...newDraft('', NOW), preset: 'custom' as const, from, to }
  expect(windowOf(draft, NOW)).toBeNull()
  expect(requestOf(draft, ['a'], 'preview', NOW)).toBeNull()
})

test('a request names stores only if some are excluded, and never excludes all', () => {
  const draft = { ...newDraft('', NOW), without: ['b'] }
  expect(requestOf(draft, ['a', 'b'], 'file', NOW)?.storeIds).toEqual(['a'])
  expect(requestOf(draft, ['a'], 'file', NOW)?.storeIds).toBeUndefined()
  expect(requestOf(draft, ['b'], 'file', NOW)).toBeNull()
  expect(requestOf(draft, [], 'file', NOW)).not.toBeNull()
})

test('previews and printed reports are HTML with fewer locks', () => {
  const draft = { ...newDraft('', NOW), format: 'csv' as const, withTokens: true }
  expect(requestOf(draft, [], 'file', NOW)).toMatchObject({ as: 'csv', withTokens: true })
  expect(requestOf(draft, [], 'file', NOW)?.lockLimit).toBeUndefined()
  expect(requestOf(draft, [], 'preview', NOW)).toMatchObject({ as: 'html', lockLimit: 100 })
  expect(requestOf(draft, [], 'print', NOW)).toMatchObject({ as: 'html', lockLimit: 5000 })
})

test('a file is named by the end of its window', () => {
  expect(reportFileName('html', NOW)).toBe('lockkeeper-report-20261002-1234.html')
})
