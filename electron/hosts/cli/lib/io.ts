import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import type { Core } from '../../../core/dispatch.ts'

/** Everything a command may use of its process. */
export type Io = {
  /** Created on first use, so that bad usage starts nothing. */
  readonly core: () => Core
  readonly stdin: NodeJS.ReadStream
  /** The lines of the standard input, with --password-stdin; otherwise null. */
  readonly passwordLines: () => Promise<readonly string[] | null>
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
  /** Aborted by Ctrl-C; its reason has a code if `isDeserted`. */
  readonly signal: AbortSignal
  /** Stops the command as Ctrl-C does. */
  readonly stop: (reason: unknown) => void
  /** The build, with node/ and renderer/. */
  readonly distFolder: string
}

export function print(io: Io, ...lines: readonly string[]): Promise<void> {
  return write(io, lines.map(line => `${line}\n`).join(''))
}

/** For the operator, beside the output of the command. */
export function warn(io: Io, message: string): void {
  io.stderr.write(`lockkeeper: ${message}\n`)
}

/** One JSON object a line: a hundred thousand are never one string. */
export async function printJsonItems<T>(
  io: Io,
  items: Iterable<T> | AsyncIterable<T>,
  shown: (item: T) => unknown,
): Promise<void> {
  let separator = ''
  for await (const item of items) {
    await print(io, separator + safeJson(shown(item)))
    separator = ','
  }
}

/** Waits for a slow reader, so that a long listing does not fill memory, but not for one that is gone. */
export function write(io: Io, text: string): Promise<void> {
  return new Promise(resolve => io.stdout.write(text, () => resolve()))
}

/** Waits for the work, and keeps the process running even if nothing else does. */
export async function keepRunning<T>(work: Promise<T>): Promise<T> {
  const running = setInterval(() => {}, MINUTE_MS)
  return work.finally(() => clearInterval(running))
}

/** Resolves on Ctrl-C. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Stopped without Ctrl-C: the terminal was closed, the output cannot be written, or the system ends the process. */
export function isDeserted({ reason }: AbortSignal): boolean {
  return typeof (reason as { code?: unknown } | undefined)?.code === 'string'
}

/** Ends early on Ctrl-C. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
