import { expect, test, vi } from 'vitest'

// What the modules touch of a page when they are loaded.
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })

const { sayWhen } = await import('../../../renderer/features/stats/say-when.ts')

const AT = new Date(2026, 0, 1, 1, 2, 59).getTime()

test('figures of stores that are all down have the time of the last pass', () => {
  const stores = [
    { status: 'down', asOf: AT - 60_000 },
    { status: 'stale', asOf: AT },
  ] as const
  expect(sayWhen(stores)).toBe('as of 01:02:59')
  expect(sayWhen([...stores, { status: 'down', asOf: null }])).toBe('as of 01:02:59')
})

test('figures are current if any store is live or was read for the answer', () => {
  expect(sayWhen([{ status: 'live', asOf: AT }])).toBe('Now')
  expect(sayWhen([{ status: 'unwatched', asOf: AT }])).toBe('Now')
  expect(
    sayWhen([
      { status: 'down', asOf: AT },
      { status: 'live', asOf: AT },
    ]),
  ).toBe('Now')
})
