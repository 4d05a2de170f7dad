import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Spent } from '../../../../shared/stats.ts'
import type { StoreError } from '../../lib/errors.ts'
import { atMost } from '../../lib/timers.ts'
import {
  type BatchFromRoom,
  batcher,
  errorFrom,
  type FromRoom,
  type OperationMessage,
  type RoomData,
  type ToRoom,
} from './messages.ts'

/**
 * The heap of a room, and what a room may use in all, with the buffers that V8 does not count. The hard limit is only the last
 * one: V8 ends the whole process if a single allocation passes it, which is why the wire is bounded before anything is parsed.
 */
const HEAP_MB = 256
/** With less, pages on their way would be moved to the old generation. */
const YOUNG_HEAP_MB = 96
const MOST_BYTES = 256 * 1024 * 1024
/**
 * V8 begins to mark a limited heap at some 20 MB, over and over, and what is alive meanwhile stays: a list takes a fifth longer.
 * More would be left as garbage. A heap reads this when it is made.
 */
const MARKED_FROM_MB = 48

/** How often a busy room is asked for a sign of life. Counted in questions, because this thread may have been asleep itself. */
const PING_MS = 1000
const MOST_UNANSWERED = 15
const MOST_STARTING = 60
const CLOSE_MS = 1000

/** What an operation does with the messages of its room. */
export type Listener = {
  receive(message: OperationMessage): void
  /** The room has ended. */
  lost(error: StoreError): void
}

/** One worker thread with the client of one store. It ends by itself, by its limits, or by `end`; then all operations are lost. */
export class Room {
  readonly #worker: Worker
  readonly #operations = new Map<number, Listener>()
  #onClosed = () => {}
  #nextId = 1
  /** Starting takes long on a busy machine. */
  #isUp = false
  #startingFor = 0
  #unanswered = 0
  #pings: NodeJS.Timeout | undefined
  isOver = false
  spent: Spent = { requests: 0, units: null }

  constructor(
    file: string,
    data: RoomData,
    /** Called once, with the reason or the refusal to open the store. Returns the error of all its operations. */
    readonly onEnd: (why: string | StoreError) => StoreError,
  ) {
    setFlagsFromString(`--initial-old-space-size=${MARKED_FROM_MB}`)
    this.#worker = new Worker(file, {
      name: 'store',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    this.#worker.on('message', ({ messages, spent }: BatchFromRoom) => {
      this.#isUp = true
      this.#unanswered = 0
      this.spent = spent
      for (const message of messages) this.#receive(message)
    })
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.end(whyOf(error)))
    this.#worker.on('messageerror', () => this.end('it sent something unreadable'))
    this.#worker.on('exit', () => this.end('it ended unexpectedly'))
  }

  /** Registers an operation under a new id. The room must not be over. */
  add(listener: Listener): number {
    const id = this.#nextId++
    this.#operations.set(id, listener)
    this.#watch()
    return id
  }

  remove(id: number): void {
    this.#operations.delete(id)
  }

  readonly send = batcher<ToRoom>(messages => {
    if (!this.isOver) this.#worker.postMessage(messages)
  })

  /** Ends the thread at once, whatever it does. */
  end(why: string | StoreError): void {
    if (this.isOver) return
    this.isOver = true
    const error = this.onEnd(why)
    clearInterval(this.#pings)
    void this.#worker.terminate()
    this.#onClosed()
    for (const listener of this.#operations.values()) listener.lost(error)
    this.#operations.clear()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => {
      this.#onClosed = resolve
    })
    this.send({ type: 'close' })
    if (!this.isOver) await atMost(CLOSE_MS, closed)
    this.end('the store was closed')
    await this.#worker.terminate()
  }

  #receive(message: FromRoom): void {
    switch (message.type) {
      case 'ready':
        break
      case 'refused':
        this.end(errorFrom(message.failure))
        break
      case 'pong':
        if (message.bytes > MOST_BYTES) this.end(`it used more than ${HEAP_MB} MB of memory`)
        break
      case 'closed':
        this.#onClosed()
        break
      default:
        this.#operations.get(message.id)?.receive(message)
    }
  }

  #watch(): void {
    this.#pings ??= setInterval(() => {
      if (!this.#isUp) {
        if (++this.#startingFor > MOST_STARTING) this.end(`it did not start within ${MOST_STARTING} s`)
        return
      }
      if (this.#unanswered++ >= MOST_UNANSWERED) this.end(`it did not respond for ${MOST_UNANSWERED} s`)
      else if (this.#operations.size > 0) this.send({ type: 'ping' })
      else this.#rest()
    }, PING_MS)
  }

  #rest(): void {
    clearInterval(this.#pings)
    this.#pings = undefined
    this.#unanswered = 0
  }
}

function whyOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return `it used more than ${HEAP_MB} MB of memory`
  // Servers and libraries choose the words freely: only what looks like a name is repeated.
  const name = /^\w{1,40}$/.test(error.name) ? ` (${error.name})` : ''
  return `it failed unexpectedly${name}`
}
