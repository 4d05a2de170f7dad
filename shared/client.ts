import type { Input, MethodName, Output, StreamEvent, StreamInput, StreamName } from './contract.ts'
import { ACKNOWLEDGE_EVERY, type DownFrame, type UpFrame } from './frames.ts'
import type { PlanComparison } from './plans.ts'
import type { Failure, Result } from './result.ts'

type OnReply = (result: Result<unknown>) => void
type Stream = { readonly onEvent: (event: unknown, seq: number) => void; readonly onEnd: OnReply }

export type Client = {
  call<M extends MethodName>(method: M, input: Input<M>): Promise<Result<Output<M>>>
  /** Returns a function that closes the stream: no event is delivered after that. */
  open<S extends StreamName>(
    stream: S,
    input: StreamInput<S>,
    onEvent: (event: StreamEvent<S>, seq: number) => void,
    onEnd: (result: Result<null>) => void,
  ): () => void
  receive(frame: DownFrame): void
  /** The wire is gone: ends every pending call and stream. */
  lost(): void
}

const LOST: { ok: false; error: Failure } = {
  ok: false,
  error: {
    code: 'ABORTED',
    uncertain: true,
    message: 'The connection to the console was lost before it answered: the change may have happened',
  },
}

/** The screen's side of the wire, for any transport of frames. */
export function createClient(send: (frame: UpFrame) => void): Client {
  let lastId = 0
  const calls = new Map<number, OnReply>()
  const streams = new Map<number, Stream>()

  /** A frame that cannot be sent is never answered, so nothing is kept waiting. */
  const begin = <T>(waiting: Map<number, T>, frame: UpFrame, listener: T) => {
    waiting.set(frame.id, listener)
    try {
      send(frame)
    } catch (error) {
      waiting.delete(frame.id)
      throw error
    }
  }

  return {
    call(method, input) {
      return new Promise(resolve =>
        begin(calls, { type: 'call', id: ++lastId, method, input }, resolve as OnReply),
      )
    },
    open(stream, input, onEvent, onEnd) {
      const id = ++lastId
      begin(streams, { type: 'open', id, stream, input }, { onEvent, onEnd } as Stream)
      return () => {
        if (streams.delete(id)) send({ type: 'close', id })
      }
    },
    receive(frame) {
      const { id } = frame
      switch (frame.type) {
        case 'reply': {
          const resolve = calls.get(id)
          calls.delete(id)
          resolve?.(frame.result)
          return
        }
        case 'event': {
          const { seq } = frame
          const stream = streams.get(id)
          // First, so that a listener that fails does not keep the stream waiting.
          if (stream && (seq + 1) % ACKNOWLEDGE_EVERY === 0) send({ type: 'ack', id, seq })
          stream?.onEvent(frame.event, seq)
          return
        }
        case 'end': {
          const stream = streams.get(id)
          streams.delete(id)
          stream?.onEnd(frame.result)
        }
      }
    },
    lost() {
      const unanswered = [...calls.values(), ...[...streams.values()].map(({ onEnd }) => onEnd)]
      calls.clear()
      streams.clear()
      for (const end of unanswered) end(LOST)
    },
  }
}

/** Reads a stream until `pick` finds a value in one of its events, and closes it. */
export function firstInStream<S extends StreamName, T>(
  client: Client,
  stream: S,
  input: StreamInput<S>,
  pick: (event: StreamEvent<S>) => T | undefined,
): Promise<Result<T>> {
  return new Promise(resolve => {
    let isDone = false
    const close = client.open(
      stream,
      input,
      event => {
        const value = isDone ? undefined : pick(event)
        if (value === undefined) return
        isDone = true
        // The first event can arrive while the stream is being opened, before `close` exists.
        void Promise.resolve().then(() => close())
        resolve({ ok: true, value })
      },
      result => result.ok || resolve(result),
    )
  })
}

/** Reads a stream to its end. One that breaks off is an error, and its events are dropped. */
export function readAll<S extends StreamName>(
  open: Client['open'],
  stream: S,
  input: StreamInput<S>,
): Promise<Result<StreamEvent<S>[]>> {
  const events: StreamEvent<S>[] = []
  return new Promise(resolve => {
    open(
      stream,
      input,
      event => events.push(event),
      result => resolve(result.ok ? { ok: true, value: events } : result),
    )
  })
}

/** Reads the pieces of a text. */
export async function readText<S extends 'plans.file' | 'switch.report' | 'locks.raw'>(
  open: Client['open'],
  stream: S,
  input: StreamInput<S>,
): Promise<Result<string[]>> {
  const read = await readAll(open, stream, input)
  return read.ok ? { ok: true, value: read.value.map(({ text }) => text) } : read
}

/** How the locks of a plan have changed in their stores. */
export async function comparePlan(open: Client['open'], planId: string): Promise<Result<PlanComparison>> {
  const read = await readAll(open, 'plans.compare', { planId })
  if (!read.ok) return read
  const changes = read.value.flatMap(event => (event.type === 'changes' ? event.changes : []))
  const { comparedAt, same } = read.value.find(event => event.type === 'compared') ?? {
    comparedAt: 0,
    same: 0,
  }
  return { ok: true, value: { comparedAt, same, changes } }
}
