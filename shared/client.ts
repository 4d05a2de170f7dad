import type { Input, MethodName, Output, StreamEvent, StreamInput, StreamName } from './contract.ts'
import { ACKNOWLEDGE_EVERY, type DownFrame, type UpFrame } from './frames.ts'
import type { Failure, Result } from './result.ts'

type Stream = { onEvent: (event: unknown, seq: number) => void; onEnd: (result: Result<null>) => void }

export type Client = {
  call<M extends MethodName>(method: M, input: Input<M>): Promise<Result<Output<M>>>
  /** Returns a function that closes the stream. Nothing is delivered after it was called. */
  open<S extends StreamName>(
    stream: S,
    input: StreamInput<S>,
    onEvent: (event: StreamEvent<S>, seq: number) => void,
    onEnd: (result: Result<null>) => void,
  ): () => void
  receive(frame: DownFrame): void
  /** The wire is gone: whatever was waited for ends here, because nothing can answer it any more. */
  lost(): void
}

const LOST: { ok: false; error: Failure } = {
  ok: false,
  error: {
    code: 'ABORTED',
    uncertain: true,
    message:
      'The connection to the console was lost before it answered: what was asked for may have happened',
  },
}

/** The screen's side of the wire. It knows frames and not how they travel. */
export function createClient(send: (frame: UpFrame) => void): Client {
  let lastId = 0
  const calls = new Map<number, (result: Result<unknown>) => void>()
  const streams = new Map<number, Stream>()

  return {
    call<M extends MethodName>(method: M, input: Input<M>) {
      const id = ++lastId
      return new Promise<Result<Output<M>>>(resolve => {
        calls.set(id, result => resolve(result as Result<Output<M>>))
        try {
          send({ type: 'call', id, method, input })
        } catch (error) {
          // Never sent, so never answered: the caller is told, and nothing is kept waiting.
          calls.delete(id)
          throw error
        }
      })
    },
    open<S extends StreamName>(
      stream: S,
      input: StreamInput<S>,
      onEvent: (event: StreamEvent<S>, seq: number) => void,
      onEnd: (result: Result<null>) => void,
    ) {
      const id = ++lastId
      streams.set(id, { onEvent: (event, seq) => onEvent(event as StreamEvent<S>, seq), onEnd })
      try {
        send({ type: 'open', id, stream, input })
      } catch (error) {
        streams.delete(id)
        throw error
      }
      return () => {
        if (streams.delete(id)) send({ type: 'close', id })
      }
    },
    receive(frame) {
      switch (frame.type) {
        case 'reply': {
          const resolve = calls.get(frame.id)
          calls.delete(frame.id)
          resolve?.(frame.result)
          return
        }
        case 'event': {
          const { id, seq } = frame
          const stream = streams.get(id)
          // First, so that a listener that fails does not keep the stream waiting.
          if (stream && (seq + 1) % ACKNOWLEDGE_EVERY === 0) send({ type: 'ack', id, seq })
          stream?.onEvent(frame.event, seq)
          return
        }
        case 'end': {
          const stream = streams.get(frame.id)
          streams.delete(frame.id)
          stream?.onEnd(frame.result)
        }
      }
    },
    lost() {
      const waiting = [...calls.values()]
      const open = [...streams.values()]
      calls.clear()
      streams.clear()
      for (const resolve of waiting) resolve(LOST)
      for (const { onEnd } of open) onEnd(LOST)
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
