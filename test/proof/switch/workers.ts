import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { ROOT } from '../../source-files.ts'

const PROGRAM = fileURLToPath(new URL('worker.mjs', import.meta.url))
/** What an application imports as `lockkeeper/locks`. */
const ENTRY = pathToFileURL(join(ROOT, 'dist/node/locks.js')).href

export const JOBS = ['GPS_PROCESS', 'VOZ_PROCESS', 'ELIOT_PROCESS'] as const

export type WorkerOptions = {
  /** The file of settings that it is started with, and reads once. */
  readonly env: string
  readonly keys?: readonly string[]
  /** Other than what its settings say. */
  readonly ttl?: string
  /** Takes the first one and keeps it, renewing it. */
  readonly hold?: boolean
}

export type Worker = {
  readonly pid: number
  /** Everything that it has said. */
  said(): string
  /** As a deployment stops it: it ends its work and gives its lock back. */
  stop(): Promise<void>
  /** As a machine that dies. What it holds stays. */
  kill(): Promise<void>
}

/** A program of its own that is at work under its first lock when this returns. It ends with the test. */
export async function startWorker(name: string, options: WorkerOptions): Promise<Worker> {
  const { env, keys = JOBS, ttl, hold = false } = options
  const what = { entry: ENTRY, name, keys, workMs: 250, ttl, hold }
  const child = spawn(process.execPath, [`--env-file=${env}`, PROGRAM, JSON.stringify(what)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), NODE_NO_WARNINGS: '1' },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const ended = once(child, 'close')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  onTestFinished(() => end('SIGKILL'))
  await expect.poll(() => (child.exitCode === null ? said : `ended: ${said}`)).toMatch(/^provider \w+\ntook /)
  return {
    pid: child.pid ?? 0,
    said: () => said,
    async stop() {
      await end('SIGTERM')
      expect([child.exitCode, said]).toEqual([0, expect.stringMatching(/^(provider|took) /)])
    },
    kill: () => end('SIGKILL'),
  }
}
