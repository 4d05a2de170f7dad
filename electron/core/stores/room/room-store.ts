import { parseAddress, showAddress } from '../../../../shared/address.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import type {
  ListPage,
  RawPiece,
  RecordDetail,
  ReleaseOutcome,
  RestoreOutcome,
} from '../../../../shared/locks.ts'
import type { Result } from '../../../../shared/result.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../../shared/stores.ts'
import { only, type Settled, settle, Turns } from '../../lib/concurrency.ts'
import { aborted, StoreError, throwIfAborted } from '../../lib/errors.ts'
import { linkedAbort, onAbort, WakeableSleep } from '../../lib/timers.ts'
import type { Keep, ListQuery, LockStore, RecordCopy, RecordState, StoreNews, Target } from '../types.ts'
import {
  type Answer,
  failureOf,
  type OperationMessage,
  type PackedPage,
  Progress,
  type Question,
  type QuestionArgs,
  type RoomData,
  type ToRoom,
  toSettled,
  unpackPage,
} from './messages.ts'
import { Room } from './room.ts'

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** A room that lived this long was a good one. */
const STEADY_MS = 60_000

/** A message of an operation without the id, which the room gives. */
type OfOperation = ToRoom extends infer M
  ? M extends { readonly id: number }
    ? Omit<M, 'id'>
    : never
  : never
type Receive = (message: OperationMessage, reply: (message: OfOperation) => void) => void | Promise<void>

/**
 * A store whose client runs in a room: a worker thread that can throw, flood, loop or run out of memory without harm to the console
 * or to other stores. A room that ends is replaced by the next operation, after a pause that grows.
 */
export class RoomStore implements LockStore {
  readonly kind: string
  readonly address: string
  tables?: NonNullable<LockStore['tables']>
  #room: Room
  #startedAt = 0
  /** Of rooms that have ended. */
  #spentBefore: Spent = { requests: 0, units: null }
  #failures = 0
  #retryAt = 0
  #lastError: StoreError | null = null
  #isClosed = false

  /** Starts the room, in which the store is opened. Contacts no server. */
  constructor(
    readonly file: string,
    readonly data: RoomData,
  ) {
    const address = parseAddress(data.address)
    this.kind = address.kind
    this.address = showAddress(address)
    if (kindOf(address.kind).address.place.narrows.includes('table'))
      this.tables = signal => this.#ask('tables', [], signal)
    this.#room = this.#start()
  }

  spent(): Spent {
    return sumOf(this.#spentBefore, this.#room.spent)
  }

  describe(signal: AbortSignal): Promise<StoreDescription> {
    return this.#ask('describe', [], signal)
  }

  capabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.#ask('capabilities', [], signal)
  }

  serverIds(signal: AbortSignal): Promise<readonly string[]> {
    return this.#ask('serverIds', [], signal)
  }

  clock(signal: AbortSignal): Promise<ClockReading> {
    return this.#ask('clock', [], signal)
  }

  inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    return this.#ask('inspect', [id], signal)
  }

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    const results = await this.#ask('look', [ids], signal)
    return (results as readonly Result<RecordState>[]).map(toSettled)
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    for await (const page of this.#stream({ type: 'list', query }, signal))
      yield unpackPage(page as PackedPage)
  }

  follow(signal: AbortSignal): AsyncIterable<StoreNews> {
    return this.#stream({ type: 'follow' }, signal) as AsyncIterable<StoreNews>
  }

  rawPart(record: string, digest: string, signal: AbortSignal): AsyncIterable<RawPiece> {
    return this.#stream({ type: 'rawPart', record, digest }, signal) as AsyncIterable<RawPiece>
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    throwIfAborted(signal)
    const progress = targets.length > 1 ? new Uint8Array(new SharedArrayBuffer(targets.length)) : null
    let mayHaveActed = false
    const receive: Receive = async (message, reply) => {
      if (message.type !== 'keep') return
      const kept = await settle(() => keep(message.about))
      mayHaveActed ||= kept.ok
      reply({ type: 'kept', failure: kept.ok ? null : failureOf(kept.error) })
    }
    try {
      const results = await this.#run({ type: 'release', targets, progress }, signal, receive, 'write')
      return (results as readonly Result<ReleaseOutcome>[]).map(toSettled)
    } catch (error) {
      if (!mayHaveActed || error !== this.#lastError) throw error
      const lost = this.#lastError as StoreError
      return targets.map((_, place) => outcomeOf(progress ? progress[place] : Progress.sent, lost))
    }
  }

  async restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    throwIfAborted(signal)
    // In the pause after a room, nothing is sent.
    this.#current()
    const opening = { type: 'ask', question: 'restore', args: [copy] } as const
    return this.#run(opening, signal, () => {}, 'write').catch(error => {
      // A refusal to open the store has sent nothing.
      const isLost = error === this.#lastError && error.code === 'STORE_UNREACHABLE'
      throw isLost ? uncertain(error, 'restore') : error
    }) as Promise<RestoreOutcome>
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#room.close()
  }

  #ask<Q extends Question>(question: Q, args: QuestionArgs<Q>, signal: AbortSignal): Promise<Answer<Q>> {
    return this.#run({ type: 'ask', question, args }, signal) as Promise<Answer<Q>>
  }

  /** The pages of an operation. Each is asked for when the one before has been used, but for a few ahead. */
  async *#stream(opening: OfOperation, signal: AbortSignal): AsyncIterable<unknown> {
    throwIfAborted(signal)
    const stop = linkedAbort(signal)
    const pages: { readonly page: unknown; readonly taken: () => void }[] = []
    const news = new WakeableSleep()
    const turns = new Turns()
    let end: Settled<unknown> | null = null
    const receive: Receive = (message, reply) => {
      if (message.type !== 'page') return
      pages.push({ page: message.page, taken: () => reply({ type: 'more' }) })
      news.wake()
    }
    void settle(() => this.#run(opening, stop.signal, receive)).then(result => {
      end = result
      news.wake()
    })
    try {
      for (;;) {
        const next = pages.shift()
        if (next) {
          yield next.page
          throwIfAborted(signal)
          // Node delivers messages without a turn of the event loop for as long as they come.
          if (turns.isOver) await turns.next()
          next.taken()
        } else if (end === null) await news.sleep()
        else return void only([end])
      }
    } finally {
      stop.stopFollowing()
      stop.abort()
    }
  }

  /** Runs an operation to its answer. A signal ends the wait for a read at once; a write may be under way, so its answer is awaited. */
  async #run(
    opening: OfOperation,
    signal: AbortSignal,
    receive: Receive = () => {},
    effect: 'read' | 'write' = 'read',
  ): Promise<unknown> {
    throwIfAborted(signal)
    const room = this.#current()
    let finish = () => {}
    const answered = new Promise<Result<unknown>>((resolve, reject) => {
      const id = room.add({
        receive: message => {
          if (message.type === 'answer') resolve(message.result)
          else void receive(message, reply => room.send({ ...reply, id } as ToRoom))
        },
        lost: reject,
      })
      const stop = onAbort(signal, () => {
        room.send({ type: 'abort', id })
        if (effect === 'read') reject(aborted())
      })
      finish = () => {
        stop()
        room.remove(id)
      }
      room.send({ ...opening, id } as ToRoom)
    })
    return only([toSettled(await answered.finally(finish))])
  }

  /** The room, or a new one if it has ended and the pause is over. */
  #current(): Room {
    if (this.#isClosed) throw new StoreError('STORE_ERROR', 'This store is closed')
    if (!this.#room.isOver) return this.#room
    if (this.#lastError && performance.now() < this.#retryAt) throw this.#lastError
    this.#spentBefore = this.spent()
    this.#room = this.#start()
    return this.#room
  }

  #start(): Room {
    this.#startedAt = performance.now()
    return new Room(this.file, this.data, why => this.#ended(why))
  }

  #ended(why: string | StoreError): StoreError {
    const now = performance.now()
    if (now - this.#startedAt >= STEADY_MS) this.#failures = 0
    this.#retryAt = now + Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LONGEST_RETRY_MS)
    this.#lastError =
      why instanceof StoreError
        ? why
        : new StoreError(
            'STORE_UNREACHABLE',
            `The reader of ${this.address} stopped: ${why}. Other stores are not affected`,
          )
    return this.#lastError
  }
}

/** What a release came to, as far as its room could tell before it ended. */
function outcomeOf(progress: number | undefined, lost: StoreError): Settled<ReleaseOutcome> {
  switch (progress) {
    case Progress.released:
      return { ok: true, value: { outcome: 'released', notified: null } }
    case Progress.changed:
      return { ok: true, value: { outcome: 'changed', current: null } }
    case Progress.gone:
      return { ok: true, value: { outcome: 'gone' } }
    case Progress.sent:
    case Progress.uncertain:
      return { ok: false, error: uncertain(lost, 'release') }
    default:
      return { ok: false, error: new StoreError(lost.code, `${lost.message}. Nothing was changed`) }
  }
}

function uncertain(lost: StoreError, what: 'release' | 'restore'): StoreError {
  const doubt = `The ${what} may or may not have happened, so list again`
  return new StoreError(lost.code, `${lost.message}. ${doubt}`, { cause: lost, uncertain: true })
}

function sumOf(one: Spent, other: Spent): Spent {
  const hasUnits = one.units !== null || other.units !== null
  return {
    requests: one.requests + other.requests,
    units: hasUnits ? (one.units ?? 0) + (other.units ?? 0) : null,
  }
}
