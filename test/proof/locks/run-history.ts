import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LockManagerOptions } from '../../../electron/core/locks/types.ts'
import { Random } from '../../random.ts'
import { type Attempt, attemptsOf, type Line } from './history.ts'

export const LOCKS_ENTRY = fileURLToPath(new URL('../../../dist/node/locks.js', import.meta.url))
/** Other people's programs, which share the locks. */
const OTHERS_ENTRY = fileURLToPath(new URL('./other-programs.mjs', import.meta.url))
const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))

export type Play = {
  readonly address: string | readonly string[]
  readonly options?: Pick<LockManagerOptions, 'format' | 'fencing' | 'poll'>
  readonly operations: number
  readonly processes: number
  /** How many tasks of a process do this at once. */
  readonly loops: number
  readonly keys: number
  readonly ttlMs: number
  /** How often a process is killed or paused; null for never, where all of them are one process. */
  readonly troubleEveryMs: number | null
  /** What is done to the servers meanwhile, if anything. */
  readonly meanwhile?: (signal: AbortSignal) => Promise<void>
  readonly seed: number
  /** Every second program, or all of them, are other people's. */
  readonly others?: 'some' | 'all'
}

export type Played = { readonly attempts: Attempt[]; readonly kills: number; readonly pauses: number }

type Worker = {
  readonly name: string
  readonly file: string
  readonly child: ChildProcess
  killedAt: number | null
}

/** Lets programs fight over locks until they have done so much, and kills and pauses them on the way. */
export async function playHistory(play: Play): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-history-'))
  const random = new Random(play.seed)
  const steadyMs = () => Number(process.hrtime.bigint()) / 1e6
  const clockMs = Date.now() - steadyMs()
  const now = () => steadyMs() + clockMs
  const all: Worker[] = []
  const keys = Array.from({ length: play.keys }, (_, i) => `tenant${i % 3}:job${i}`)
  const start = (): Worker => {
    const isOther = play.others === 'all' || (play.others === 'some' && all.length % 2 === 1)
    const name = `${isOther ? 'other' : 'ours'}-${all.length}`
    const file = join(folder, name)
    const settings = {
      entry: isOther ? OTHERS_ENTRY : LOCKS_ENTRY,
      address: play.address,
      options: play.options ?? {},
    }
    const child = fork(
      WORKER,
      [JSON.stringify({ ...settings, keys, ttlMs: play.ttlMs, file, loops: play.loops, clockMs })],
      {
        execArgv: [],
        env: { ...process.env, AWS_ACCESS_KEY_ID: 'worker', AWS_SECRET_ACCESS_KEY: 'worker' },
      },
    )
    const worker: Worker = { name, file, child, killedAt: null }
    all.push(worker)
    return worker
  }
  const ended = new AbortController()
  const paused = new Map<Worker, Promise<void>>()
  let kills = 0
  let pauses = 0
  try {
    let running = Array.from({ length: play.processes }, start)
    await Promise.all(running.map(({ child }) => begun(child)))
    const meanwhile = play.meanwhile?.(ended.signal)
    const hadTrouble = () => play.troubleEveryMs === null || (kills > 0 && pauses > 0)
    while (linesIn(all) < play.operations || !hadTrouble()) {
      await sleep(play.troubleEveryMs ?? 50)
      const died = running.find(({ child }) => child.exitCode !== null || child.signalCode !== null)
      if (died) throw new Error(`${died.name} ended by itself: ${died.child.exitCode}`)
      if (play.troubleEveryMs === null) continue
      // Two at a time stand still, so that the others go on.
      const victims = running.filter(each => !paused.has(each))
      if (running.length - victims.length > 1) continue
      const victim = random.pick(victims)
      if (random.below(2) === 0) {
        kills++
        await end(victim.child)
        victim.killedAt = now()
        running = running.map(each => (each === victim ? start() : each))
      } else {
        pauses++
        // Mostly past the end of whatever it holds.
        const ms = random.below(3) === 0 ? play.ttlMs / 3 : play.ttlMs * 1.5 + 1200
        paused.set(
          victim,
          pause(victim.child, ms).finally(() => paused.delete(victim)),
        )
      }
    }
    await Promise.all(paused.values())
    ended.abort()
    await meanwhile
    for (const { child } of running) child.send('stop')
    await Promise.all(running.map(({ child }) => (child.exitCode === null ? once(child, 'exit') : null)))
    const attempts = all.flatMap(({ name, file, killedAt }) => attemptsOf(name, readLines(file), killedAt))
    return { attempts, kills, pauses }
  } finally {
    ended.abort()
    await Promise.all(all.map(({ child }) => end(child)))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function pause(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP')
  await sleep(ms)
  child.kill('SIGCONT')
}

async function begun(child: ChildProcess): Promise<void> {
  await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', code => reject(new Error(`A program did not begin: ${code}`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** So many bytes are never fewer operations; the exact number is counted in the end. */
const BYTES_AN_OPERATION = 170

function linesIn(workers: readonly Worker[]): number {
  const bytes = workers.reduce(
    (sum, { file }) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return bytes / BYTES_AN_OPERATION
}

/** The last line of a program that was killed may be cut. */
function readLines(file: string): Line[] {
  const text = statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : ''
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)
}
