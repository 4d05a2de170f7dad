import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Core } from '../../../core/dispatch.ts'

/** What a command may touch of the world. */
export type Io = {
  /** Made when the first command asks for it, so that bad usage starts nothing. */
  readonly core: () => Core
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
  /** Ctrl-C; or what `isDeserted` is about, which is then its reason. */
  readonly signal: AbortSignal
  /** What was built: node/ and renderer/ are in it. */
  readonly distFolder: string
}

export async function print(io: Io, text: string): Promise<void> {
  await write(io, `${text}\n`)
}

/** Waits while the reader is slow, so that a long listing does not pile up in memory; not for one that is gone. */
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

/** For what runs until Ctrl-C. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // Holds the process as well, should nothing else.
  const hold = setInterval(() => {}, MINUTE_MS)
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(hold)
}

/** Nobody pressed Ctrl-C: the terminal was closed, the output cannot be written, or the system ends the process. */
export function isDeserted({ reason }: AbortSignal): boolean {
  return typeof (reason as { code?: unknown } | undefined)?.code === 'string'
}

/** So long, or until Ctrl-C. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
