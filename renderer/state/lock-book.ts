import type { WatchEvent, WatchedLock } from '../../shared/locks.ts'

export type Row = {
  /** Unique over all stores. */
  readonly rowId: string
  readonly storeId: string
  readonly lock: WatchedLock
  /** What happened to it last, and when by the local clock, so that the eye can catch it. */
  readonly change: 'new' | 'changed' | 'gone' | null
  readonly changedAt: number
}

/** A row that is gone stays to be seen for so long. */
export const GONE_SHOWN_MS = 2500
/** However many events come, the screen is told this often. */
const TELL_MS = 200

export function rowIdOf(storeId: string, id: string): string {
  return `${storeId} ${id}`
}

/** Every lock of every open store, as the streams tell it. Outside React: ten thousand rows are not component state. */
export class LockBook {
  readonly rows = new Map<string, Row>()
  readonly #byStore = new Map<string, Set<string>>()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #version = 0

  /** Goes up whenever the listeners are told. */
  get version(): number {
    return this.#version
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Nothing in a snapshot is news, nor what completes one: `quietly`. */
  apply(
    storeId: string,
    event: Extract<WatchEvent, { type: 'snapshot' | 'upsert' | 'remove' }>,
    quietly = event.type === 'snapshot',
  ): void {
    const now = Date.now()
    if (event.type === 'remove') {
      for (const id of event.ids) this.#end(rowIdOf(storeId, id), now)
    } else {
      if (event.type === 'snapshot') this.#begin(storeId, event.locks)
      for (const lock of event.locks) this.#put(storeId, lock, quietly, now)
    }
    this.#tell()
  }

  forget(storeId: string): void {
    for (const rowId of this.#byStore.get(storeId) ?? []) this.rows.delete(rowId)
    this.#byStore.delete(storeId)
    this.#tell()
  }

  /** Drops the rows that were gone long enough to be seen. True when there are more to drop later. */
  sweep(now: number): boolean {
    let more = false
    for (const row of this.rows.values()) {
      if (row.change !== 'gone') continue
      if (now - row.changedAt < GONE_SHOWN_MS) more = true
      else {
        this.rows.delete(row.rowId)
        this.#byStore.get(row.storeId)?.delete(row.rowId)
      }
    }
    return more
  }

  #begin(storeId: string, locks: readonly WatchedLock[]): void {
    const there = new Set(locks.map(lock => rowIdOf(storeId, lock.id)))
    for (const rowId of this.#byStore.get(storeId) ?? []) {
      if (there.has(rowId)) continue
      this.rows.delete(rowId)
      this.#byStore.get(storeId)?.delete(rowId)
    }
  }

  #put(storeId: string, lock: WatchedLock, quietly: boolean, now: number): void {
    const rowId = rowIdOf(storeId, lock.id)
    const before = this.rows.get(rowId)
    const change = quietly
      ? (before?.change ?? null)
      : !before || before.change === 'gone'
        ? 'new'
        : 'changed'
    this.rows.set(rowId, {
      rowId,
      storeId,
      lock,
      change,
      changedAt: quietly ? (before?.changedAt ?? 0) : now,
    })
    let ids = this.#byStore.get(storeId)
    if (!ids) {
      ids = new Set()
      this.#byStore.set(storeId, ids)
    }
    ids.add(rowId)
  }

  #end(rowId: string, now: number): void {
    const row = this.rows.get(rowId)
    if (row && row.change !== 'gone') this.rows.set(rowId, { ...row, change: 'gone', changedAt: now })
  }

  #tell(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#version++
      for (const listener of this.#listeners) listener()
    }, TELL_MS)
  }
}
