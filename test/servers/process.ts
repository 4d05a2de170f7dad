import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findServer } from './find-server.mjs'

/**
 * Runs `start` with a port that was free a moment ago. Another test process may be quicker, so a start that fails is tried
 * again elsewhere; `start` must make sure that it is its own server that answers.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return await start(port)
    } catch (error) {
      if (attempt === 4) throw error
    }
  }
}

/** A port that nobody listens on, at least for now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export function programPath(program: string): string {
  const path = findServer(program)
  if (!path) throw new Error(`${program} is not installed; npm test installs it`)
  return path
}

export async function temporaryFolder(name: string): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `lockkeeper-${name}-`))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Children of this process that must not outlive it, even if it dies in the middle of a test. */
const running = new Set<ChildProcess>()
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.on('exit', killAll)
for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killAll()
    process.kill(process.pid, signal)
  })
}

export type ServerProcess = {
  readonly pid: number
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Answers nothing until thawed; its connections stay open. */
  freeze(): void
  thaw(): void
}

/** Starts a server and waits until `ready` says that this very process answers. Its output is kept, and told if it does not come up. */
export async function startProcess(
  path: string,
  args: readonly string[],
  ready: (pid: number) => Promise<boolean>,
  argv0?: string,
): Promise<ServerProcess> {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(argv0 ? { argv0 } : {}) })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output = (output + chunk).slice(-4000)
    })
  }
  const exited = once(child, 'exit').then(() => running.delete(child))
  const deadline = Date.now() + 90_000
  while (!(await ready(child.pid ?? 0).catch(() => false))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${path} did not start:\n${output}`)
    }
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  return {
    pid: child.pid ?? 0,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await exited
    },
    freeze: () => {
      child.kill('SIGSTOP')
      while (process.platform === 'linux' && !isStopped(child.pid as number)) {}
    },
    thaw: () => void child.kill('SIGCONT'),
  }
}

/** A busy machine takes a while to stop all threads of a process. */
function isStopped(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.every(thread => / [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
}
