import { expect, test } from 'vitest'
import { NameGroups } from '../../../../electron/core/stores/redis/name-groups.ts'

/** The groups of these names, and how many names each has. */
function groupsOf(names: readonly string[]): Record<string, number> {
  const groups = new NameGroups()
  const counts = new Map(names.map(name => [groups.groupOf(Buffer.from(name)), 0]))
  for (const name of names) {
    const group = groups.groupOf(Buffer.from(name))
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].filter(([, n]) => n > 0).map(([group, n]) => [group.pattern, n]))
}

const many = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

test('groups names that differ by a number or an id', () => {
  const ids = many(50, i => `session:${i}f3a9c1e${i}b7d2`)
  expect(groupsOf([...many(100, i => `page:${i}`), ...ids])).toEqual({ 'page:*': 100, 'session:*': 50 })
})

test('finds the variable part in the middle of names', () => {
  const words = (i: number) => String.fromCharCode(97 + (i % 26), 97 + ((i / 26) % 26), 97 + i / 676)
  const names = [...many(1000, i => `bull:${words(i)}:lock`), ...many(1000, i => `bull:${words(i)}:meta`)]
  expect(groupsOf(names)).toEqual({ 'bull:*:lock': 1000, 'bull:*:meta': 1000 })
})

test('keeps few words apart', () => {
  expect(groupsOf(['leader', 'import-lock', 'cache::home', 'v2:jobs'])).toEqual({
    leader: 1,
    'import-lock': 1,
    'cache::home': 1,
    'v2:jobs': 1,
  })
})

test('keeps common words apart from the many others in their place', () => {
  const names = many(2000, i =>
    i % 2 === 0 ? `orders:${i}` : `${String.fromCharCode(97 + (i % 26))}x${i}z:${i}`,
  )
  expect(groupsOf(names)['orders:*']).toBe(1000)
})

test('quotes what has a meaning in a pattern', () => {
  expect(groupsOf(['what?[no]*', 'a\\b'])).toEqual({ 'what\\?\\[no\\]\\*': 1, 'a\\\\b': 1 })
})

test('stays small, whatever the names are', () => {
  const groups = new NameGroups()
  let seed = 1
  for (let i = 0; i < 300_000; i++) {
    const parts = many(1 + (i % 12), () => {
      seed = (seed * 48271) % 0x7fffffff
      return seed.toString(36).replace(/\d/g, 'q')
    })
    groups.groupOf(Buffer.from(parts.join(':/.-'[i % 4])))
  }
  expect(groups.size).toBeLessThan(30_000)
})

test('looks at a thousand records of a group without a lock, and then at one in a hundred', () => {
  const groups = new NameGroups()
  let asked = 0
  for (let i = 0; i < 100_000; i++) {
    const name = Buffer.from(`page:${i}`)
    const group = groups.groupOf(name)
    if (!group.wants(name)) continue
    asked++
    group.learn(name, false)
  }
  expect(asked).toBe(1000 + 990)
})

test('goes on looking at every record of a group with locks', () => {
  const groups = new NameGroups()
  for (let i = 0; i < 50_000; i++) {
    const name = Buffer.from(`job:${i}`)
    const group = groups.groupOf(name)
    expect(group.wants(name)).toBe(true)
    group.learn(name, i % 100 === 0)
  }
})

test('never takes a group of nothing but locks for one with hardly any, however often it is read', () => {
  const groups = new NameGroups()
  const names = many(500, i => `job:${i}`).map(name => Buffer.from(name))
  for (let pass = 0; pass < 3000; pass++)
    for (const name of names) {
      const group = groups.groupOf(name)
      if (!group.wants(name)) throw new Error(`not wanted in pass ${pass}`)
      group.learn(name, true)
    }
})

test('remembers the few locks among very many other records', () => {
  const groups = new NameGroups()
  const isLock = (i: number) => i % 5000 === 7
  const pass = () => {
    const wanted = []
    for (let i = 0; i < 50_000; i++) {
      const name = Buffer.from(`thing:${i}`)
      const group = groups.groupOf(name)
      if (!group.wants(name)) continue
      group.learn(name, isLock(i))
      wanted.push(i)
    }
    return wanted
  }
  pass()
  const again = pass()
  const found = new Set(again.filter(isLock))
  expect(again.length).toBeLessThan(10_000)
  // Every lock of the part that was read as a whole is read again.
  for (let i = 7; i < 10_000; i += 5000) expect(found).toContain(i)
})
