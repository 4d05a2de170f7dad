import { expect, onTestFinished } from 'vitest'
import { StoreWatcher } from '../../../../electron/core/features/stores/watcher.ts'
import type { MemoryAddress } from '../../../../electron/core/stores/memory/address.ts'
import { MemoryServer } from '../../../../electron/core/stores/memory/server.ts'
import { MemoryStore } from '../../../../electron/core/stores/memory/store.ts'
import type { ListQuery } from '../../../../electron/core/stores/types.ts'
import { parseAddress } from '../../../../shared/address.ts'
import type { ListPage, WatchEvent } from '../../../../shared/locks.ts'

/** The polling interval of a screen in a test, in milliseconds. */
export const FAST = 100

/** A memory store that counts its readings, and whose answers a test can change. */
export class WatchedStore extends MemoryStore {
  lists = 0
  /** Changes a page on its way. */
  onPage = async (page: ListPage): Promise<ListPage> => page

  constructor(readonly server = new MemoryServer()) {
    super(parseAddress('memory:watched') as MemoryAddress, { server })
  }

  override async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    this.lists++
    for await (const page of super.list(query, signal)) yield await this.onPage(page)
  }

  hold(name: string, run = 'run-1'): void {
    this.server.records.set(`acme:${name}`, {
      tenant_id: 'acme',
      pipeline_id: name,
      pipeline_logging_id: run,
      locked_at: Date.now() / 1000,
      locked_by: 'tests',
    })
  }

  drop(name: string): void {
    this.server.records.delete(`acme:${name}`)
  }
}

/** A screen that follows a watch, and the locks it would show. */
export class Screen {
  readonly events: WatchEvent[] = []
  readonly shown = new Map<string, string | null>()
  readonly #stop = new AbortController()
  readonly ended: Promise<void>

  constructor(subscribe: (signal: AbortSignal) => AsyncIterable<WatchEvent>) {
    this.ended = this.#follow(subscribe(this.#stop.signal))
  }

  get types(): string[] {
    return this.events.map(event => event.type)
  }

  get statuses() {
    return this.events.filter(event => event.type === 'status')
  }

  /** The names on the screen, in order. */
  get names(): string[] {
    return [...this.shown.keys()].map(id => id.replace('acme:', '')).sort()
  }

  close(): Promise<void> {
    this.#stop.abort()
    return this.ended
  }

  async #follow(events: AsyncIterable<WatchEvent>): Promise<void> {
    for await (const event of events) {
      this.events.push(event)
      if (event.type === 'snapshot') this.shown.clear()
      if (event.type === 'snapshot' || event.type === 'upsert')
        for (const { id, owner } of event.locks) this.shown.set(id, owner)
      if (event.type === 'remove') for (const id of event.ids) this.shown.delete(id)
    }
  }
}

/** A store with its watcher, for any number of screens. */
export function watched(redact = (text: string) => text) {
  const store = new WatchedStore()
  const watcher = new StoreWatcher(store, redact)
  const look = (intervalMs = FAST) => {
    const screen = new Screen(signal => watcher.subscribe(intervalMs, signal))
    onTestFinished(() => screen.close())
    return screen
  }
  /** A complete pass that starts after now. */
  const nextPass = async () => {
    const before = store.lists
    await expect.poll(() => store.lists, { interval: 5 }).toBeGreaterThanOrEqual(before + 2)
  }
  return { store, watcher, look, nextPass }
}
