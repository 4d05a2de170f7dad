import type { MessagePort } from 'node:worker_threads'
import type { ReleaseOutcome } from '../../../../shared/locks.ts'
import type { Settled } from '../../lib/concurrency.ts'
import { WakeableSleep } from '../../lib/timers.ts'
import type { Keep, LockStore, Tracker } from '../types.ts'
import {
  type BatchFromRoom,
  type BatchToRoom,
  batcher,
  errorFrom,
  type FromRoom,
  PAGES_AHEAD,
  Progress,
  packPage,
  resultOf,
  type ToRoom,
  toResult,
} from './messages.ts'

type MessageOf<Type> = Extract<ToRoom, { readonly type: Type }>

/** One operation of a room. */
class Operation {
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal
  readonly #credit = new WakeableSleep()
  #pages = PAGES_AHEAD
  onKept: (message: MessageOf<'kept'>) => void = () => {}

  abort(): void {
    this.#abort.abort()
    this.#credit.wake()
  }

  more(): void {
    this.#pages++
    this.#credit.wake()
  }

  /** Waits until another page may be sent after this one. */
  async page(): Promise<void> {
    this.#pages--
    while (this.#pages === 0 && !this.signal.aborted) await this.#credit.sleep()
  }
}

/** Serves one store to the console's thread: the other end of `RoomStore`. */
export function serveStore(port: MessagePort, store: LockStore): void {
  const running = new Map<number, Operation>()
  const send = batcher<FromRoom>(messages =>
    port.postMessage({ messages, spent: store.spent() } satisfies BatchFromRoom),
  )

  async function ask({ question, args }: MessageOf<'ask'>, signal: AbortSignal): Promise<unknown> {
    // The other side is typed by the same map.
    const method = store[question] as (...all: unknown[]) => Promise<unknown>
    const answer = await method.call(store, ...(args as unknown[]), signal)
    return question === 'look' ? (answer as Settled<unknown>[]).map(toResult) : answer
  }

  async function stream<Page>(
    id: number,
    own: Operation,
    read: AsyncIterable<Page>,
    packed: (page: Page) => unknown = page => page,
  ): Promise<null> {
    const pages = read[Symbol.asyncIterator]()
    const sendNext = async (): Promise<boolean> => {
      const { done, value: page } = await pages.next()
      if (!done) send({ type: 'page', id, page: packed(page) })
      return !done
    }
    try {
      // In a function of its own, so that no page is kept alive while the next one is being read.
      while (await sendNext()) await own.page()
      return null
    } finally {
      // Waits for the page that is being read, so nothing waits for this.
      pages.return?.().catch(() => {})
    }
  }

  async function release({ id, targets, progress }: MessageOf<'release'>, own: Operation): Promise<unknown> {
    const keep: Keep = async about => {
      const kept = new Promise<MessageOf<'kept'>>(resolve => {
        own.onKept = resolve
      })
      send({ type: 'keep', id, about })
      const { failure } = await kept
      if (failure) throw errorFrom(failure)
    }
    const track: Tracker = (place, step) => progress && Atomics.store(progress, place, progressOf(step))
    return (await store.releaseMany(targets, keep, own.signal, track)).map(toResult)
  }

  function start(id: number, work: (own: Operation) => Promise<unknown>): void {
    const own = new Operation()
    running.set(id, own)
    void resultOf(() => work(own)).then(result => {
      running.delete(id)
      send({ type: 'answer', id, result })
    })
  }

  function receive(message: ToRoom): void {
    switch (message.type) {
      case 'ask':
        start(message.id, own => ask(message, own.signal))
        break
      case 'list':
        start(message.id, own => stream(message.id, own, store.list(message.query, own.signal), packPage))
        break
      case 'follow':
        start(message.id, own => stream(message.id, own, store.follow?.(own.signal) ?? nothing()))
        break
      case 'rawPart':
        start(message.id, own =>
          stream(message.id, own, store.rawPart(message.record, message.digest, own.signal)),
        )
        break
      case 'release':
        start(message.id, own => release(message, own))
        break
      case 'kept':
        running.get(message.id)?.onKept(message)
        break
      case 'more':
        running.get(message.id)?.more()
        break
      case 'abort':
        running.get(message.id)?.abort()
        break
      case 'ping': {
        const { heapUsed, external } = process.memoryUsage()
        send({ type: 'pong', bytes: heapUsed + external })
        break
      }
      case 'close':
        void resultOf(() => store.close()).then(() => send({ type: 'closed' }))
    }
  }

  port.on('message', (messages: BatchToRoom) => messages.forEach(receive))
  send({ type: 'ready' })
}

async function* nothing(): AsyncGenerator<never> {}

function progressOf(step: 'unsent' | 'sent' | Settled<ReleaseOutcome>): number {
  if (typeof step === 'string') return Progress[step]
  if (step.ok) return Progress[step.value.outcome]
  return step.error.uncertain ? Progress.uncertain : Progress.failed
}
