import { StoreError } from '../../../electron/core/lib/errors.ts'
import { EMPTY_INVENTORY } from '../../../electron/core/locks/disabled.ts'
import { StoreLockManager } from '../../../electron/core/locks/manager.ts'
import { memoryProvider } from '../../../electron/core/locks/memory/provider.ts'
import type { Inventory, Provider } from '../../../electron/core/locks/provider.ts'
import type {
  Acquired,
  AcquireOptions,
  LockManager,
  LockManagerOptions,
} from '../../../electron/core/locks/types.ts'
import type { PipelineLock } from '../../../electron/core/stores/memory/format/pipeline-lock.ts'
import { MemoryServer } from '../../../electron/core/stores/memory/server.ts'

type Step = 'take' | 'extend' | 'release' | 'read' | 'listen'
/** Comes before the step, or in its place if it throws; `afterwards` throws when the step was done. */
type Trouble = (step: Step) => Promise<void> | void

/** A provider whose failures can be steered, over the store in memory. */
export class ScriptedProvider {
  readonly server = new MemoryServer()
  readonly calls: Record<Step, number> = { take: 0, extend: 0, release: 0, read: 0, listen: 0 }
  readonly order: string[] = []
  /** How many are listening now. */
  listening = 0
  before: Trouble = () => {}
  after: Trouble = () => {}
  pollMs = 60_000
  /** Tells whoever listened last of a release, whether there was one or not. */
  tellLate: () => void = () => {}
  readonly provider: Provider

  constructor({ listens = true } = {}) {
    const real = memoryProvider(this.server, { format: null, fencing: undefined })
    const doing = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
      this.calls[step]++
      await this.before(step)
      const answer = await work()
      await this.after(step)
      return answer
    }
    const steered = this
    this.provider = {
      kind: 'memory',
      format: real.format,
      defaultTtlMs: real.defaultTtlMs,
      get pollMs() {
        return steered.pollMs
      },
      keyOf: name => real.keyOf(name),
      nameOf: key => real.nameOf(key),
      setup: signal => real.setup(signal),
      take: (name, request, signal) => {
        this.order.push(request.owner)
        return doing('take', () => real.take(name, request, signal))
      },
      extend: (name, proof, ttlMs, signal) => doing('extend', () => real.extend(name, proof, ttlMs, signal)),
      release: (name, proof, signal) => doing('release', () => real.release(name, proof, signal)),
      read: (name, signal) => doing('read', () => real.read(name, signal)),
      listen: listens
        ? (name, changed, signal) =>
            doing('listen', async () => {
              const stop = await real.listen(name, changed, signal)
              this.tellLate = changed
              this.listening++
              return () => {
                this.listening--
                stop()
              }
            })
        : null,
      close: () => real.close(),
    }
  }

  manager(options: LockManagerOptions = {}, inventory: Inventory = EMPTY_INVENTORY): StoreLockManager {
    return new StoreLockManager({
      name: 'memory',
      load: async () => this.provider,
      inventory: () => inventory,
      options: { warn: message => this.warnings.push(message), ...options },
    })
  }

  readonly warnings: string[] = []

  /** As another program: takes it, whoever has it. */
  hold(key: string, owner: string, forMs = 3_600_000): void {
    const now = this.server.now() / 1000
    const lock: PipelineLock = {
      tenant_id: '',
      pipeline_id: key,
      pipeline_logging_id: owner,
      locked_by: 'another program',
      locked_at: now,
      expires_at: now + forMs / 1000,
    }
    this.server.records.set(key, lock)
  }

  ownerOf(key: string): string | null {
    return this.server.live(key)?.pipeline_logging_id ?? null
  }
}

export const unreachable = (uncertain = false) =>
  new StoreError('STORE_UNREACHABLE', 'The store does not answer', { uncertain })

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

/** Takes it, and fails the test if somebody has it. */
export async function taken(
  manager: LockManager,
  key: string,
  options: AcquireOptions = {},
): Promise<Acquired> {
  const answer = await manager.acquire(key, options)
  if (!answer.acquired) throw new Error(`${key} was not free`)
  return answer
}
