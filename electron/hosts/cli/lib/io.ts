import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Core } from '../../../core/dispatch.ts'

/** Everything a command may use of its process. */
export type Io = {
  /** Created on first use, so that bad usage starts nothing. */
  readonly core: () => Core
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
  /** Aborted by Ctrl-C; its reason has a code if `isDeserted`. */
  readonly signal: AbortSignal
  /** The build, with node/ and renderer/. */
  readonly distFolder: string
}

export async function print(io: Io, text: string): Promise<void> {
  await write(io, `${text}\n`)
}

/** Waits for a slow reader, so that a long listing does not fill memory, but not for one that is gone. */
export async function write(io: Io, text: string): Promise<void> {
  if (io.stdout.destroyed || io.stdout.errored || io.stdout.write(text)) return
  await new Promise<void>(resolve => {
    const done = () => {
      for (const event of ENDS) io.stdout.off(event, done)
      resolve()
    }
    for (const event of ENDS) io.stdout.once(event, done)
  })
}

const ENDS = ['drain', 'close', 'error'] as const

/** Resolves on Ctrl-C. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // Keeps the process alive.
  const alive = setInterval(() => {}, MINUTE_MS)
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(alive)
}

/** Stopped without Ctrl-C: the terminal was closed, the output cannot be written, or the system ends the process. */
export function isDeserted({ reason }: AbortSignal): boolean {
  return typeof (reason as { code?: unknown } | undefined)?.code === 'string'
}

/** Ends early on Ctrl-C. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
