import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Io } from '../cli/lib/io.ts'
import { type Start, startEnvironment } from './start.ts'

/** Runs the window, and ends when it ends. */
export async function openWindow(io: Io, electron: string, start: Start): Promise<number> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = startEnvironment(io.env, start)
  // No addresses among the arguments: every user of the machine can read those.
  const child = spawn(electron, [join(io.distFolder, '..')], { stdio: 'inherit', env })
  const stop = () => child.kill('SIGTERM')
  io.signal.addEventListener('abort', stop)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    // Ended by Ctrl-C is ended as asked.
    return io.signal.aborted ? 0 : (code ?? 1)
  } finally {
    io.signal.removeEventListener('abort', stop)
  }
}
