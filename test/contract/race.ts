import { releaseLock } from './ask.ts'
import type { Harness } from './harness.ts'

export type RaceResult = { released: number; changed: number; gone: number; removedWrongly: string[] }

/** How hard to race. There are two contended locks to an operator; pauses are random, up to these times. */
export type RacePace = { operators: number; holderPauseMs: number; operatorPauseMs: number }

const PACE: RacePace = { operators: 4, holderPauseMs: 4, operatorPauseMs: 6 }

const HOUR = 3_600_000
const never = new AbortController().signal

/**
 * Releases the same few locks at least so many times while their holders let go and take them again. Every owner is used once
 * and only a release or the owner itself removes a record, so whoever was removed must be an owner whose fence was
 * given in a release that answered `released`, and no owner can be released twice. Nor can an owner that had made room
 * for the next one before the release was sent: what such a release removes is somebody else's.
 */
export async function race(h: Harness, attempts: number, pace: RacePace = PACE): Promise<RaceResult> {
  const names = Array.from({ length: pace.operators * 2 }, (_, i) => `contended-${i}`)
  const result = { released: 0, changed: 0, gone: 0 }
  const removed: string[] = []
  const released = new Set<string>()
  const ended = new Set<string>()
  const removedWrongly: string[] = []
  let serial = 0
  let racing = true

  const holder = async (name: string) => {
    let before = ''
    while (racing) {
      const owner = `owner-${serial++}`
      await h.hold(name, owner, HOUR)
      ended.add(before)
      before = owner
      // Now and then a holder keeps its lock for long enough that a slow machine releases it, too.
      await pause(serial % 10 === 0 ? 50 * pace.holderPauseMs : pace.holderPauseMs)
      if ((await h.ownerOf(name)) === null) removed.push(owner)
      else if (serial % 3 === 0) await h.drop(name)
    }
  }
  const operator = async (first: number) => {
    // Until a release won the race, and another lost it.
    const isOver = (i: number) => i >= attempts && result.released > 0 && result.changed > 0
    for (let i = first; racing && !isOver(i); i += pace.operators) {
      const name = names[i % names.length] ?? ''
      const lock = (await h.store.inspect(h.keyOf(name), never))?.lock
      await pause(pace.operatorPauseMs)
      if (!lock) {
        i -= pace.operators
        continue
      }
      const owner = lock.owner ?? ''
      const tooLate = ended.has(owner)
      const { outcome } = await releaseLock(h.store, lock.id, lock.fence, never)
      result[outcome]++
      if (outcome !== 'released') continue
      if (tooLate || released.has(owner)) removedWrongly.push(owner)
      released.add(owner)
    }
  }
  const stop = () => {
    racing = false
  }
  // A holder that fails ends the race too: operators would wait for its lock for ever.
  const holders = Promise.all(names.map(holder)).finally(stop)
  const operators = Promise.all(Array.from({ length: pace.operators }, (_, i) => operator(i))).finally(stop)
  await Promise.all([holders, operators])
  return { ...result, removedWrongly: [...removedWrongly, ...removed.filter(owner => !released.has(owner))] }
}

export function pause(mostMs: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.random() * mostMs))
}
