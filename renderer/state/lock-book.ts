import type { WatchEvent, WatchedLock } from '../../shared/locks.ts'

export type Row = {
  /** Unique over all stores. */
  readonly rowId: string
  readonly storeId: string
  readonly lock: WatchedLock
  /** The last change, highlighted for a moment, and its local time. */
  readonly change: 'new' | 'changed' | 'gone' | null
  readonly changedAt: number
}

/** A gone row stays visible this long. */
export const GONE_SHOWN_MS = 2500
/** Listeners are notified this often at most. */
const NOTIFY_MS = 200

export function rowIdOf(storeId: string, id: string): string {
  return `${storeId} ${id}`
}

/** Every lock of every open store, from the streams. Outside React, which is slow with ten thousand rows of state. */
export class LockBook {
  readonly rows = new Map<string, Row>()
  readonly #byStore = new Map<string, Set<string>>()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #version = 0

  /** Increases with every notification. */
  get version(): number {
    return this.#version
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** `quietly`: snapshots and the pages that complete them are not news. */
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
    this.#notify()
  }

  forget(storeId: string): void {
    for (const rowId of this.#byStore.get(storeId) ?? []) this.rows.delete(rowId)
    this.#byStore.delete(storeId)
    this.#notify()
  }

  /** Drops rows that were shown as gone for long enough. Returns whether more will be due. */
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
    const present = new Set(locks.map(lock => rowIdOf(storeId, lock.id)))
    for (const rowId of this.#byStore.get(storeId) ?? []) {
      if (present.has(rowId)) continue
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

  #notify(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#version++
      for (const listener of this.#listeners) listener()
    }, NOTIFY_MS)
  }
}
