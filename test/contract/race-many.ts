import { locksNamed, never, words } from './ask.ts'
import type { Harness } from './harness.ts'

type RaceManyResult = { released: number; changed: number; other: string[]; wrong: string[] }

const HOUR = 3_600_000
const TAKERS = 4

/**
 * Releases many locks at once while other clients take them for themselves and renew. Nobody but the release removes
 * anything, so whoever took a lock last must have it still; a lock that nobody took is released, or still its owner's.
 * Some are taken between the reading and the act, where only the store's own comparison can notice.
 */
export async function raceMany(h: Harness, count: number): Promise<RaceManyResult> {
  const names = Array.from({ length: count }, (_, i) => `contended-${i}`)
  await h.holdMany(names, 'owner-seen')
  const locks = await locksNamed(h, names)
  const lastTaker = new Map<string, string>()
  let racing = true
  let serial = 0

  const inBetween = names.slice(-TAKERS * 10)
  const contended = names.slice(0, -TAKERS * 10)
  const result: RaceManyResult = { released: 0, changed: 0, other: [], wrong: [] }

  const take = async (name: string) => {
    const taker = `taker-${serial++}`
    for (const leaseMs of [HOUR, HOUR + 60_000]) {
      await h.hold(name, taker, leaseMs)
      lastTaker.set(name, taker)
      const owner = await h.ownerOf(name)
      if (owner !== taker) result.wrong.push(`${name} was taken by ${taker}, and is then ${owner}`)
    }
  }
  const taker = async (first: number) => {
    // Names of its own, so that it is known who has each.
    const own = contended.filter((_, i) => i % TAKERS === first)
    for (let i = 0; racing; i++) {
      await take(own[(i * 37) % own.length] ?? '')
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  let takers: Promise<unknown> | undefined
  const settled = await h.store
    .releaseMany(
      locks,
      async () => {
        if (takers) return
        for (const name of inBetween) await take(name)
        takers = Promise.all(Array.from({ length: TAKERS }, (_, i) => taker(i)))
      },
      never,
    )
    .finally(() => {
      racing = false
    })
  await takers

  const outcomes = words(settled)
  for (const [i, name] of names.entries()) {
    const outcome = outcomes[i] ?? ''
    if (outcome === 'released' || outcome === 'changed') result[outcome]++
    else result.other.push(`${name}: ${outcome}`)
    if (inBetween.includes(name) && outcome !== 'changed') result.wrong.push(`${name} was ${outcome}`)
    const owner = await h.ownerOf(name)
    const expected = lastTaker.get(name) ?? (outcome === 'released' ? null : 'owner-seen')
    if (owner !== expected) result.wrong.push(`${name} (${outcome}) is ${owner}, not ${expected}`)
  }
  return result
}
