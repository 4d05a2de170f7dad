/** redlock's own types cannot be resolved through its package exports. */
declare module 'redlock' {
  export type HeldLock = {
    readonly value: string
    extend(durationMs: number): Promise<HeldLock>
    release(): Promise<unknown>
  }
  export default class Redlock {
    constructor(clients: readonly unknown[], settings: { retryCount: number })
    on(event: 'error', listener: (error: Error) => void): this
    acquire(resources: readonly string[], durationMs: number): Promise<HeldLock>
  }
}
