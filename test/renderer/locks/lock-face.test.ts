import { expect, test } from 'vitest'
import { ageText, faceOf, remainingText } from '../../../renderer/features/locks/lock-face.ts'
import type { WatchedLock } from '../../../shared/locks.ts'
import { endsAt, watchedLock } from '../a-row.ts'

const NOW = 1_800_000_000_000

test.each<[string, Partial<WatchedLock>, string, string, string]>([
  ['held', {}, 'held', '1 min 00 s', '1 h 00 min'],
  [
    'nearly used up',
    { acquiredAt: NOW - 540_000, ...endsAt(NOW + 60_000) },
    'expiring',
    '9 min 00 s',
    '1 min 00 s',
  ],
  [
    'ended and read since',
    { acquiredAt: NOW - 7_200_000, observedAt: NOW, ...endsAt(NOW - 2_400_000) },
    'expired',
    '2 h 00 min',
    'ended 40 min ago',
  ],
  [
    'ended on the screen only: it has not been read since',
    { observedAt: NOW - 2000, ...endsAt(NOW - 1000) },
    'ended',
    '1 min 00 s',
    'ended, reading again',
  ],
  ['without end', { lease: { kind: 'never' } }, 'endless', '1 min 00 s', 'no expiry'],
  ['of unknown age', { acquiredAt: null, lease: { kind: 'unknown' } }, 'unknown', '≥ 0 s', 'unknown'],
  ['free', { lease: { kind: 'released' } }, 'released', '1 min 00 s', 'free'],
])('a lock that is %s', (_, changes, word, age, remaining) => {
  const lock = watchedLock('k', changes, NOW)
  expect(faceOf(lock, NOW, false).word).toBe(word)
  expect(ageText(lock, NOW)).toBe(age)
  expect(remainingText(lock, NOW, false)).toBe(remaining)
})

test('a lock that is gone is announced as gone only', () => {
  const lock = watchedLock('k', {}, NOW)
  expect(faceOf(lock, NOW, true).word).toBe('gone')
  expect(remainingText(lock, NOW, true)).toBe('gone')
})
