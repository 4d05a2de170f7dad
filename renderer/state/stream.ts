import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Client } from '../../shared/client.ts'
import type { StreamEvent, StreamInput, StreamName } from '../../shared/contract.ts'
import type { Failure } from '../../shared/result.ts'
import { t } from '../words/words.ts'
import { client, consoleStore, onConnected } from './console.ts'

type Listener<S extends StreamName> = {
  /** Before each opening: a new stream repeats everything. */
  readonly onOpen?: () => void
  readonly onEvent: (event: StreamEvent<S>) => void
  /** With an error if the stream was not closed on purpose. */
  readonly onEnd: (error: Failure | null) => void
}

/** Keeps a stream open while the console is connected, until the returned function is called. */
export function keepOpen<S extends StreamName>(
  stream: S,
  input: StreamInput<S>,
  { onOpen, onEvent, onEnd }: Listener<S>,
): () => void {
  let close = () => {}
  const open = () => {
    onOpen?.()
    close = openOrEnd(stream, input, onEvent, result => onEnd(result.ok ? null : result.error))
  }
  if (consoleStore.getState().link === 'up') open()
  const stop = onConnected(open)
  return () => {
    stop()
    close()
  }
}

/** Opens a stream. On a wire that is just lost, the stream ends at once. */
export const openOrEnd: Client['open'] = (stream, input, onEvent, onEnd) => {
  try {
    return client.open(stream, input, onEvent, onEnd)
  } catch {
    onEnd({ ok: false, error: { code: 'ABORTED', message: t.status.lost } })
    return () => {}
  }
}

export type Streamed<T> = T & {
  /** Whether the first event has arrived. */
  readonly known: boolean
  /** Why the stream ended. */
  readonly error: Failure | null
}

/** A store that follows a stream. `read` turns an event into the state. */
export function streamed<S extends 'alerts.watch' | 'holds.watch', T extends object>(
  stream: S,
  initial: T,
  read: (event: StreamEvent<S>) => Partial<T>,
): StoreApi<Streamed<T>> {
  const store = createStore<Streamed<T>>(() => ({ ...initial, known: false, error: null }))
  keepOpen(stream, {} as StreamInput<S>, {
    onEvent: event => store.setState({ ...read(event), known: true, error: null } as Partial<Streamed<T>>),
    onEnd: error => store.setState({ error } as Partial<Streamed<T>>),
  })
  return store
}
