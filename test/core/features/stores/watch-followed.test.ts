import { expect, it, onTestFinished } from 'vitest'
import type { LockEvent } from '../../../../electron/core/features/stores/subscriber.ts'
import { StoreWatcher } from '../../../../electron/core/features/stores/watcher.ts'
import type { Settled } from '../../../../electron/core/lib/concurrency.ts'
import { WakeableSleep } from '../../../../electron/core/lib/timers.ts'
import type { RecordState, StoreNews } from '../../../../electron/core/stores/types.ts'
import { FAST, Screen, WatchedStore } from './watched-store.ts'

/** A store that tells what changes, when the test says so. */
class TellingStore extends WatchedStore {
  readonly #news: (StoreNews | Error)[] = []
  readonly #pause = new WakeableSleep()
  looks: string[] = []
  onLook = async () => {}

  tell(...news: (StoreNews | Error)[]): void {
    this.#news.push(...news)
    this.#pause.wake()
  }

  changed(...names: string[]): void {
    this.tell({ is: 'changed', ids: names.map(name => `acme:${name}`) })
  }

  async *follow(signal: AbortSignal): AsyncIterable<StoreNews> {
    signal.addEventListener('abort', () => this.#pause.wake())
    while (!signal.aborted) {
      const news = this.#news.shift()
      if (news instanceof Error) throw news
      if (news) yield news
      else await this.#pause.sleep()
    }
  }

  override async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    this.looks.push(...ids)
    const states = await super.look(ids, signal)
    await this.onLook()
    return states
  }
}

function followed() {
  const store = new TellingStore()
  const events: LockEvent[] = []
  let passes = 0
  const watcher = new StoreWatcher(store, text => text, {
    onEvents: told => void events.push(...told),
    onPass: () => void passes++,
    onFailure: () => {},
    onStop: () => {},
  })
  const look = () => {
    const screen = new Screen(signal => watcher.subscribe(FAST, signal))
    onTestFinished(() => screen.close())
    return screen
  }
  /** Until the store is only read again as a whole when there is a reason. */
  const settled = async () => {
    store.tell({ is: 'following' })
    const before = store.lists
    await expect.poll(() => store.lists).toBeGreaterThan(before)
    const from = passes
    await expect.poll(() => passes).toBeGreaterThan(from + 3)
    return store.lists
  }
  return { store, watcher, look, settled, events, passes: () => passes }
}

const told = (events: readonly LockEvent[]) => events.map(({ what, lock }) => `${what} ${lock.id}`)

it('reads what the store tells of, and not the whole store', async () => {
  const { store, look, settled, events, passes } = followed()
  store.hold('a')
  const screen = look()
  const lists = await settled()
  store.hold('b')
  store.changed('b')
  await expect.poll(() => screen.names).toEqual(['a', 'b'])
  store.drop('a')
  store.changed('a')
  await expect.poll(() => screen.names).toEqual(['b'])
  const before = passes()
  await expect.poll(passes).toBeGreaterThan(before + 3)
  expect(store.lists).toBe(lists)
  expect(told(events)).toEqual(['found acme:a', 'taken acme:b', 'freed acme:a'])
  expect(screen.statuses.at(-1)).toMatchObject({ status: 'live' })
})

it('tells of a lock that was taken and freed between two readings of the whole store', async () => {
  const { store, look, settled, events } = followed()
  look()
  await settled()
  store.hold('quick')
  store.changed('quick')
  await expect.poll(() => told(events)).toEqual(['taken acme:quick'])
  store.drop('quick')
  store.changed('quick')
  await expect.poll(() => told(events)).toEqual(['taken acme:quick', 'freed acme:quick'])
})

it('reads the whole store when changes may have been missed, until it is told again', async () => {
  const { store, look, settled } = followed()
  const screen = look()
  const lists = await settled()
  store.hold('missed')
  store.tell({ is: 'lost' })
  await expect.poll(() => screen.names).toEqual(['missed'])
  await expect.poll(() => store.lists).toBeGreaterThan(lists + 3)
  await settled()
})

it('follows again after what told it has failed', async () => {
  const { store, look, settled } = followed()
  const screen = look()
  await settled()
  store.tell(new Error('the room ended'), { is: 'following' }, { is: 'changed', ids: ['acme:late'] })
  store.hold('late')
  await expect.poll(() => screen.names).toEqual(['late'])
  await expect.poll(() => store.looks).toContain('acme:late')
})

it('keeps what it was told during a reading of the whole store, which may be older', async () => {
  const { store, look, settled } = followed()
  store.hold('gone')
  const screen = look()
  await settled()
  // The reading has both as they were; then they change, and the change is told first.
  store.onPage = async page => {
    store.onPage = async each => each
    store.hold('new', 'run-2')
    store.drop('gone')
    store.changed('new', 'gone')
    await expect.poll(() => screen.names).toEqual(['new'])
    return page
  }
  const { types } = screen
  const before = types.length
  store.tell({ is: 'following' })
  await expect.poll(() => screen.names).toEqual(['new'])
  await expect.poll(() => screen.types.length).toBeGreaterThan(before)
  await settled()
  expect(screen.names).toEqual(['new'])
  expect(screen.shown.get('acme:new')).toBe('run-2')
})

it('reads a lock again when time alone has changed its state', async () => {
  const { store, look, settled } = followed()
  store.hold('old')
  const record = store.server.records.get('acme:old') as { locked_at: number }
  // Its lease of an hour ends soon.
  record.locked_at -= 3600 - 3
  const screen = look()
  await settled()
  const states = () =>
    screen.events.flatMap(event => (event.type === 'upsert' ? event.locks.map(({ state }) => state) : []))
  await expect.poll(states).toContain('expired')
  expect(store.looks).toContain('acme:old')
})
