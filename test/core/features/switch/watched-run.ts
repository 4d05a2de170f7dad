import type { WatchedStore } from '../../../../electron/core/features/stats/histories.ts'
import { StoreHistory } from '../../../../electron/core/features/stats/store-history.ts'
import type { OpenStore } from '../../../../electron/core/features/stores/open-store.ts'
import type { LockEvent } from '../../../../electron/core/features/stores/subscriber.ts'
import { type Observation, RunWatch } from '../../../../electron/core/features/switch/run-watch.ts'
import { stateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { SWITCH_STEPS, type SwitchNow, type SwitchRun, type SwitchStep } from '../../../../shared/switch.ts'
import { lockAt } from '../lock.ts'

export const START = 1_800_000_000_000
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const QUIET = 30 * SECOND

type Says = Partial<WatchedLock> & { readonly endsAt?: number; readonly renewals?: number }

/** One store as the histories would tell of it. */
export class FakeStore {
  readonly store: WatchedStore
  readonly locks = new Map<string, WatchedLock>()
  isOpen = true
  restMs: number | null = null
  readonly watcher = {
    unrecognised: 0,
    attend: (restMs: number, signal: AbortSignal) => {
      this.restMs = restMs
      signal.addEventListener('abort', () => {
        if (this.restMs === restMs) this.restMs = null
      })
    },
  }

  constructor(
    readonly run: WatchedRun,
    readonly address: string,
    readonly kind: 'redis' | 'mysql',
  ) {
    const spent = () => ({ requests: 0, units: null })
    const history = new StoreHistory({ keepMs: 60 * MINUTE, keep: () => {}, spent, now: () => run.now })
    this.store = { storeId: `id of ${address}`, address, kind, history, locks: this.locks }
  }

  lock(name: string, says: Says = {}): WatchedLock {
    const { renewals = 0, endsAt = this.run.now + 60 * MINUTE, ...more } = says
    const { now } = this.run
    const lock = lockAt(0, { id: name, key: `k:${name}`, name, fence: `${this.address} ${name}`, ...more })
    const lease = more.lease ?? {
      kind: 'deadline',
      expiresAt: endsAt,
      source: 'stored',
      afterwards: 'expired',
    }
    const lastRenewedAt = renewals > 0 ? now : null
    const watched = { firstSeenAt: now, heldSince: now, renewals, lastRenewedAt, holders: 1 }
    const whole = { ...lock, lease, observedAt: now, watched, ...more }
    return { ...whole, state: stateAt(whole, now) }
  }

  /** Something happens to a lock, and is read. */
  sees(what: LockEvent['what'], name: string, says: Says = {}): void {
    const lock = this.lock(name, says)
    if (what === 'freed' || what === 'lapsed') this.locks.delete(name)
    else this.locks.set(name, lock)
    this.run.watch.onEvents(this.store, [{ what, lock } as LockEvent])
  }

  pass(unbroken = true, tookMs = 0): void {
    this.run.watch.onPass(this.store, {
      ...{ locks: new Map(this.locks), serverTime: this.run.now, offsetMs: 0, errorMs: 0 },
      ...{ scanned: this.locks.size, tookMs, unbroken },
    })
  }

  fail(why: 'down' | 'partial' = 'down'): void {
    this.run.watch.onFailure(this.store, why, { code: 'STORE_UNREACHABLE', message: 'It does not answer' })
  }
}

/** A switch whose clock a test moves, and whose stores it plays. */
export class WatchedRun {
  now = START
  kept: SwitchRun
  readonly old = new FakeStore(this, 'redis://old:6379/0', 'redis')
  readonly new = new FakeStore(this, 'mysql://root@new:3306/shop', 'mysql')
  readonly watch: RunWatch
  /** What was seen and is not kept yet, for a test that has something come in between. */
  pending: Observation[] | null = null

  constructor(more: Partial<SwitchRun> = {}) {
    const side = ({ address, kind }: FakeStore) => ({ storeId: null, storeName: address, address, kind })
    this.kept = {
      ...{ switchId: 's1', from: side(this.old), to: side(this.new), begunAt: START, by: 'ana' },
      ...{
        step: 'understand',
        passed: [],
        wentBack: [],
        quietMs: QUIET,
        envFile: null,
        envChanges: [],
        planIds: [],
      },
      ...{ strays: [], splits: [], ended: null, firstArrivalInNewAt: null },
      ...more,
    }
    const stores = [this.old, this.new]
    this.watch = new RunWatch({
      stores: {
        at: address => {
          const found = stores.find(each => each.address === address && each.isOpen)
          if (!found) return []
          const { signal } = new AbortController()
          const { storeId } = found.store
          return [{ storeId, watcher: found.watcher, signal, store: {} } as unknown as OpenStore]
        },
      },
      histories: {
        get: storeId => stores.find(each => each.store.storeId === storeId)?.store ?? null,
      },
      run: () => this.kept,
      observed: add => {
        if (this.pending) this.pending.push(add)
        else this.kept = add(this.kept)
      },
      now: () => this.now,
    })
  }

  /** Time goes by, and both are read every second. */
  goOn(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += SECOND
      this.old.pass()
      this.new.pass()
    }
  }

  /** As if every step before it was passed just now. */
  reach(step: SwitchStep): void {
    const passed = SWITCH_STEPS.slice(0, SWITCH_STEPS.indexOf(step)).map(each => ({
      ...{ step: each, at: this.now, by: 'ana', checked: true, reason: null, fromHeld: 0, toHeld: 0 },
    }))
    this.kept = { ...this.kept, step, passed }
  }

  get told(): SwitchNow {
    return this.watch.now()
  }

  is(step: SwitchStep): string {
    return this.told.checks[step].is
  }
}

/** One whose stores were both read once. */
export function watching(more: ConstructorParameters<typeof WatchedRun>[0] = {}): WatchedRun {
  const run = new WatchedRun(more)
  run.goOn(SECOND)
  return run
}
