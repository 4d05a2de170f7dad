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
  // The shell ends Xvfb once its input closes, also if this process is killed. SIGKILL would leave Xvfb's lock file behind.
  const script = '"$0" -displayfd 1 -screen 0 1600x1000x24 -nolisten tcp & read -r _; kill $!'
  const child = spawn('sh', ['-c', script, programPath('Xvfb')], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [number] = (await once(child.stdout, 'data')) as [Buffer]
  return { name: `:${number.toString().trim()}`, child }
}
