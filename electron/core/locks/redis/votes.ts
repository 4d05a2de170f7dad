import { setMaxListeners } from 'node:events'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { linkedAbort } from '../../lib/timers.ts'

/** The answers of several servers, by index; undefined while outstanding. */
export type Votes<T> = readonly (Settled<T> | undefined)[]

export function valuesOf<T>(votes: Votes<T>): T[] {
  return votes.flatMap(each => (each?.ok ? [each.value] : []))
}

export type Poll<T> = {
  readonly votes: Votes<T>
  /** Settles when every server has answered or failed, even long after the time limit. */
  readonly rest: Promise<unknown>
}

/** Asks all servers until `enough` decides that missing answers cannot change the outcome. Late servers count as failed. */
export async function poll<T>(
  asked: readonly ((signal: AbortSignal) => Promise<T>)[],
  timeoutMs: number,
  signal: AbortSignal,
  enough: (votes: Votes<T>) => boolean,
): Promise<Poll<T>> {
  const votes: (Settled<T> | undefined)[] = asked.map(() => undefined)
  let isOver = false
  let resolve = () => {}
  const decided = new Promise<void>(done => {
    resolve = done
  })
  const cast = (place: number, vote: Settled<T>) => {
    if (isOver || votes[place] !== undefined) return
    votes[place] = vote
    if (enough(votes) || !votes.includes(undefined)) resolve()
  }
  const late = linkedAbort(signal)
  setMaxListeners(0, late.signal)
  const answers = asked.map(async (ask, place) => cast(place, await settle(() => ask(late.signal))))
  const giveUp = () => {
    late.abort()
    const error = new StoreError('STORE_UNREACHABLE', 'Redis did not answer in time', { uncertain: true })
    for (const place of votes.keys()) cast(place, { ok: false, error })
  }
  // If this process itself was suspended, the answers have already arrived and are handled first.
  const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
  const rest = Promise.all(answers).finally(() => {
    clearTimeout(timer)
    late.stopFollowing()
  })
  await decided
  isOver = true
  return { votes, rest }
}
