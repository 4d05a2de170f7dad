import { access, rm, unlink } from 'node:fs/promises'
import { sleep } from '../lib/timers.ts'
import { createFile } from './disk.ts'
import { breakOpen, createLockFile, readLockFile } from './lock-file.ts'
import { lifeOf } from './process-mark.ts'

const LONGEST_POLL_MS = 20
/** After this wait a process announces that it waits; the process of the last turn then pauses for longer than others poll. */
const IMPATIENT_MS = 50
const COURTESY_MS = 40
/** The patience with a queue whose turns change, in multiples of the patience with one turn. */
const QUEUE = 3

export class LockBusy extends Error {
  readonly code = 'EBUSY'
}

/** One writer at a time among processes. A dead holder on this machine is certain; one elsewhere is given up after our patience. */
export class FolderLock {
  #hadLastTurn = false

  constructor(
    readonly path: string,
    readonly patienceMs: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    const turn = await this.#acquire()
    try {
      return await work()
    } finally {
      // The work is done, whether the lock can be removed or not.
      await this.#release(turn).catch(() => {})
      this.#hadLastTurn = true
    }
  }

  /** Only our own: another process may have broken it open meanwhile. */
  async #release(turn: string): Promise<void> {
    if ((await readLockFile(this.path))?.turn === turn) await unlink(this.path)
  }

  async #acquire(): Promise<string> {
    const waiting = `${this.path}.waiting`
    if (this.#hadLastTurn && (await isThere(waiting))) {
      await sleep(COURTESY_MS)
      await rm(waiting, { force: true })
    }
    const began = performance.now()
    let seen = { turn: '', since: began }
    for (let pollMs = 1; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 2)) {
      const held = await readLockFile(this.path)
      if (held === null) {
        const turn = await createLockFile(this.path)
        if (turn !== null) return turn
        continue
      }
      const now = performance.now()
      if (held.turn !== seen.turn) seen = { turn: held.turn, since: now }
      const life = await lifeOf(held)
      const isSlow = now - seen.since > this.patienceMs
      const isDead = life === 'dead' || (life === 'unknown' && isSlow)
      if (now - began > QUEUE * this.patienceMs || (isSlow && !isDead))
        throw new LockBusy(`process ${held.pid} does not finish writing to it`)
      if (isDead) await breakOpen(this.path, held)
      // It may exist already.
      if (now - began > IMPATIENT_MS) await createFile(waiting, '').catch(() => {})
      await sleep(pollMs * (0.5 + Math.random()))
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
