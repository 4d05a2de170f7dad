import type { ListPage, Lock } from '../../../../shared/locks.ts'
import type { Failure, Result } from '../../../../shared/result.ts'
import type { Spent } from '../../../../shared/stats.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { ListQuery, LockStore, PendingRelease, Target } from '../types.ts'
import { type Packed, pack, unpack } from './pack.ts'

/** What a room is started with. */
export type RoomData = { readonly address: string; readonly password: string | undefined }

/** The methods of a store that are one question and one answer. */
export type Question =
  | 'describe'
  | 'capabilities'
  | 'serverIds'
  | 'inspect'
  | 'look'
  | 'restore'
  | 'tables'
  | 'clock'

type WithoutSignal<Args extends readonly unknown[]> = Args extends [...infer Rest, AbortSignal] ? Rest : never
export type QuestionArgs<Q extends Question> = WithoutSignal<Parameters<NonNullable<LockStore[Q]>>>
export type Answer<Q extends Question> = Awaited<ReturnType<NonNullable<LockStore[Q]>>>

/** To a room. `id` is of the operation. */
export type ToRoom =
  | { readonly type: 'ask'; readonly id: number; readonly question: Question; readonly args: unknown }
  | { readonly type: 'list'; readonly id: number; readonly query: ListQuery }
  | { readonly type: 'follow'; readonly id: number }
  | { readonly type: 'rawPart'; readonly id: number; readonly record: string; readonly digest: string }
  | {
      readonly type: 'release'
      readonly id: number
      readonly targets: readonly Target[]
      /** One `Progress` per target, shared so that it outlives the room. Null for one target, which is in flight once it is kept. */
      readonly progress: Uint8Array | null
    }
  /** The locks of a `keep` were recorded, or why not. */
  | { readonly type: 'kept'; readonly id: number; readonly failure: Failure | null }
  /** A page was taken: another may be sent. */
  | { readonly type: 'more'; readonly id: number }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping' }
  | { readonly type: 'close' }

/** From a room. */
export type FromRoom =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly failure: Failure }
  | { readonly type: 'answer'; readonly id: number; readonly result: Result<unknown> }
  /** Of a stream: a packed page of a list, a piece of a raw part, or news. */
  | { readonly type: 'page'; readonly id: number; readonly page: unknown }
  | { readonly type: 'keep'; readonly id: number; readonly about: readonly PendingRelease[] }
  | { readonly type: 'pong'; readonly bytes: number }
  | { readonly type: 'closed' }

/** Messages of one turn travel together, because each journey costs more than what it carries. */
export type BatchToRoom = readonly ToRoom[]
export type BatchFromRoom = { readonly messages: readonly FromRoom[]; readonly spent: Spent }

export type PackedPage = Omit<ListPage, 'locks'> & { readonly locks: Packed }

export function packPage(page: ListPage): PackedPage {
  return { ...page, locks: pack(page.locks) }
}

export function unpackPage(page: PackedPage): ListPage {
  return { ...page, locks: unpack<Lock>(page.locks) }
}

export type OperationMessage = Extract<FromRoom, { readonly id: number }>

/** Pages that a room may send before the first is taken. */
export const PAGES_AHEAD = 4

/** How far the release of one target has come, for the case that its room ends first. */
export const Progress = {
  unsent: 0,
  sent: 1,
  released: 2,
  changed: 3,
  gone: 4,
  failed: 5,
  uncertain: 6,
} as const

/** Collects messages until the work of this turn of the event loop is done, its promises included. */
export function batcher<Message>(post: (messages: Message[]) => void): (message: Message) => void {
  let batch: Message[] = []
  const flush = () => {
    const messages = batch
    batch = []
    post(messages)
  }
  return message => {
    if (batch.push(message) === 1) process.nextTick(flush)
  }
}

export function failureOf({ code, message, uncertain }: StoreError): Failure {
  return { code, message, ...(uncertain ? { uncertain: true } : {}) }
}

export function errorFrom({ code, message, uncertain }: Failure): StoreError {
  return new StoreError(code, message, { uncertain: uncertain === true })
}

/** The outcome of some work as a message: a copied error would lose its code. */
export async function resultOf<T>(work: () => Promise<T>): Promise<Result<T>> {
  return toResult(await settle(work))
}

export function toResult<T>(settled: Settled<T>): Result<T> {
  return settled.ok ? settled : { ok: false, error: failureOf(settled.error) }
}

export function toSettled<T>(result: Result<T>): Settled<T> {
  return result.ok ? result : { ok: false, error: errorFrom(result.error) }
}
