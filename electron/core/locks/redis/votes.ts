import { setMaxListeners } from 'node:events'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { onAbort } from '../../lib/timers.ts'

/** What each of several servers said, by its place; a hole where nothing is known yet. */
export type Votes<T> = readonly (Settled<T> | undefined)[]

export function valuesOf<T>(votes: Votes<T>): T[] {
  return votes.flatMap(each => (each?.ok ? [each.value] : []))
}

export type Poll<T> = {
  readonly votes: Votes<T>
  /** Settles when every server has answered or failed, also long after its time was over. */
  readonly rest: Promise<unknown>
}

/**
 * Asks all of them at once, and waits until `enough` says that the others cannot change the outcome. One that does not
 * answer in time counts as failed; what was not sent by then is not sent any more.
 */
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
  const late = new AbortController()
  setMaxListeners(0, late.signal)
  // Not AbortSignal.any: what it leaves with a signal that lives as long as the program is never given back.
  const stopHearing = onAbort(signal, () => late.abort())
  if (signal.aborted) late.abort()
  const answers = asked.map(async (ask, place) => cast(place, await settle(() => ask(late.signal))))
  const giveUp = () => {
    late.abort()
    const error = new StoreError('STORE_UNREACHABLE', 'Redis did not answer in time', { uncertain: true })
    for (const place of votes.keys()) cast(place, { ok: false, error })
  }
  // If it was this process that stood still, the answers are here already and come in first.
  const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
  const rest = Promise.all(answers).finally(() => {
    clearTimeout(timer)
    stopHearing()
  })
  await decided
  isOver = true
  return { votes, rest }
}
