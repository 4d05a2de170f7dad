import { createStore, type StoreApi } from 'zustand/vanilla'
import type { StreamEvent, StreamInput } from '../../shared/contract.ts'
import type { Failure } from '../../shared/result.ts'
import { client, onConnected } from './console.ts'

export type Streamed<T> = T & {
  /** Whether the first event has arrived. */
  readonly known: boolean
  /** Why the stream ended. */
  readonly error: Failure | null
}

/** A store that follows a stream while the console is connected. `read` turns an event into the state. */
export function streamed<S extends 'alerts.watch' | 'holds.watch', T extends object>(
  stream: S,
  initial: T,
  read: (event: StreamEvent<S>) => Partial<T>,
): StoreApi<Streamed<T>> {
  const store = createStore<Streamed<T>>(() => ({ ...initial, known: false, error: null }))
  onConnected(() =>
    client.open(
      stream,
      {} as StreamInput<S>,
      event => store.setState({ ...read(event), known: true, error: null } as Partial<Streamed<T>>),
      result => store.setState({ error: result.ok ? null : result.error } as Partial<Streamed<T>>),
    ),
  )
  return store
}
