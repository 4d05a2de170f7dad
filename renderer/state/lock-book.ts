import { createStore } from 'zustand/vanilla'
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
  /** Increases some time after a change, once for many. */
  readonly revision = createStore(() => 0)
  #timer: ReturnType<typeof setTimeout> | null = null

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
      if (event.type === 'snapshot') {
        const present = new Set(event.locks.map(lock => rowIdOf(storeId, lock.id)))
        this.#drop(row => row.storeId === storeId && !present.has(row.rowId))
      }
      for (const lock of event.locks) this.#put(storeId, lock, quietly, now)
    }
    this.#notify()
  }

  forget(storeId: string): void {
    this.#drop(row => row.storeId === storeId)
    this.#notify()
  }

  /** Drops rows that were shown as gone for long enough. Returns whether more will be due. */
  sweep(now: number): boolean {
    let more = false
    this.#drop(({ change, changedAt }) => {
      if (change !== 'gone') return false
      const isOver = now - changedAt >= GONE_SHOWN_MS
      more ||= !isOver
      return isOver
    })
    return more
  }

  #drop(isOver: (row: Row) => boolean): void {
    for (const row of this.rows.values()) if (isOver(row)) this.rows.delete(row.rowId)
  }

  #put(storeId: string, lock: WatchedLock, quietly: boolean, now: number): void {
    const rowId = rowIdOf(storeId, lock.id)
    const before = this.rows.get(rowId)
    const news = !before || before.change === 'gone' ? 'new' : 'changed'
    this.rows.set(rowId, {
      rowId,
      storeId,
      lock,
      change: quietly ? (before?.change ?? null) : news,
      changedAt: quietly ? (before?.changedAt ?? 0) : now,
    })
  }

  #end(rowId: string, now: number): void {
    const row = this.rows.get(rowId)
    if (row && row.change !== 'gone') this.rows.set(rowId, { ...row, change: 'gone', changedAt: now })
  }

  #notify(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.revision.setState(revision => revision + 1)
    }, NOTIFY_MS)
  }
}
