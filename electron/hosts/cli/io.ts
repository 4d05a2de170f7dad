import type { Core } from '../../core/dispatch.ts'

/** What a command may touch of the world. */
export type Io = {
  readonly core: Core
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
  /** Ctrl-C. */
  readonly signal: AbortSignal
}

/** Waits while the reader is slow, so that a long listing does not pile up in memory. */
export async function print(io: Io, text: string): Promise<void> {
  if (io.stdout.write(`${text}\n`)) return
  await new Promise<void>(resolve => io.stdout.once('drain', () => resolve()))
}
