import { expect, it } from 'vitest'
import { clipFields, clipText } from '../../../electron/core/stores/clip-lock.ts'
import { lockFrom } from '../../../electron/core/stores/lock-from.ts'

it('a text that people write stays as it is', () => {
  for (const text of [null, '', 'worker-7', 'x'.repeat(512)]) expect(clipText(text)).toBe(text)
})

it('two long texts that differ anywhere stay different, and short', () => {
  const long = 'x'.repeat(60_000)
  const others = [`y${long.slice(1)}`, `${long.slice(0, 30_000)}y${long.slice(30_001)}`, `${long}x`]
  const clipped = [long, ...others].map(each => clipText(each))
  expect(new Set(clipped).size).toBe(4)
  for (const each of clipped) expect(each.length).toBeLessThan(300)
  expect(clipText(long)).toBe(clipText('x'.repeat(60_000)))
  expect(clipped[0]).toMatch(/^x{200}… \(60000 characters, [0-9a-f]{12}\)$/)
})

it('no character is cut in two', () => {
  const start = clipText(`${'x'.repeat(199)}${'😀'.repeat(500)}`).split('…')[0] ?? ''
  expect(start).toBe('x'.repeat(199))
})

it('fields are few and short, and others keep their identity', () => {
  const fields = { token: 'abc', count: 7 }
  expect(clipFields(fields)).toBe(fields)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i]))
  const clipped = clipFields({ long: 'x'.repeat(9000), ...many })
  expect(Object.keys(clipped)).toHaveLength(101)
  expect(clipped['…']).toBe('4901 more')
  expect(JSON.stringify(clipped).length).toBeLessThan(3000)
})

it('a lock with a huge owner weighs little, and its fence is made from the whole', () => {
  const lockOf = (owner: string) =>
    lockFrom(
      'id',
      'key',
      'token',
      {
        name: 'key',
        owner,
        holder: { label: owner },
        acquiredAt: null,
        acquiredAtSource: 'unknown',
        lease: { kind: 'never' },
        deadlines: [],
        fields: { token: owner },
        notes: [],
        seen: { exact: [owner] },
      },
      1_800_000_000_000,
    )
  const lock = lockOf('x'.repeat(60_000))
  expect(JSON.stringify(lock).length).toBeLessThan(1500)
  expect(lock.holder?.label).toBe(lock.owner)
  expect(lock.fence).not.toBe(lockOf(`${'x'.repeat(59_999)}y`).fence)
})
