import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { programPath } from '../servers/process.ts'

let display: Promise<{ name: string; child: ChildProcess }> | null = null

/** A screen that nobody looks at, one for each test file: Xvfb takes any number that is free. */
export async function displayName(): Promise<string> {
  display ??= startDisplay()
  return (await display).name
}

export async function closeDisplay(): Promise<void> {
  const open = await display
  display = null
  if (!open || open.child.exitCode !== null) return
  const exited = once(open.child, 'exit')
  open.child.kill('SIGKILL')
  await exited
}

async function startDisplay(): Promise<{ name: string; child: ChildProcess }> {
  const child = spawn(
    programPath('Xvfb'),
    ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  const [number] = (await once(child.stdout, 'data')) as [Buffer]
  return { name: `:${number.toString().trim()}`, child }
}
