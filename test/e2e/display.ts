import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { programPath } from '../servers/process.ts'

let display: Promise<{ name: string; child: ChildProcess }> | null = null

/** An invisible screen for all tests of this process. Xvfb picks a free number. */
export async function displayName(): Promise<string> {
  display ??= startDisplay()
  return (await display).name
}

async function startDisplay(): Promise<{ name: string; child: ChildProcess }> {
  const child = spawn(
    programPath('Xvfb'),
    ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  // Not SIGKILL: Xvfb would leave its lock file behind.
  process.once('exit', () => child.kill('SIGTERM'))
  const [number] = (await once(child.stdout, 'data')) as [Buffer]
  return { name: `:${number.toString().trim()}`, child }
}
