import { randomBytes } from 'node:crypto'
import { access, link, open, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { sleep } from '../lib/timers.ts'
import { codeOf, parseJson } from './disk.ts'
import { lifeOf, myMark } from './process-mark.ts'

const lockFileSchema = z.object({
  pid: z.number().int().positive(),
  place: z.string(),
  started: z.string().nullable(),
  /** New with every acquisition. */
  turn: z.string().regex(/^[0-9a-f]{32}$/),
})
type LockFile = z.infer<typeof lockFileSchema>

/** Stands for the holder of an invalid lock file. */
const UNKNOWN: LockFile = { pid: 1, place: '', started: null, turn: '0'.repeat(32) }

const LONGEST_POLL_MS = 20
/** After this wait a process announces that it waits; the process of the last turn then pauses for longer than others poll. */
const IMPATIENT_MS = 50
const COURTESY_MS = 40
/** The patience with a queue whose turns change, in multiples of the patience with one turn. */
const QUEUE = 3

export class LockBusy extends Error {
  readonly code = 'EBUSY'
}

/**
 * One writer at a time among all processes that use the folder. On this machine a dead holder is recognized for certain; a holder
 * on another machine is given up when its turn takes longer than our patience.
 */
export class FolderLock {
  readonly #path: string
  readonly #patienceMs: number
  #hadLastTurn = false

  constructor(path: string, patienceMs: number) {
    this.#path = path
    this.#patienceMs = patienceMs
  }

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
    if ((await this.#read(this.#path))?.turn === turn) await unlink(this.#path)
  }

  async #acquire(): Promise<string> {
    const waiting = `${this.#path}.waiting`
    if (this.#hadLastTurn && (await isThere(waiting))) {
      await sleep(COURTESY_MS)
      await rm(waiting, { force: true })
    }
    const began = performance.now()
    let seen = { turn: '', since: began }
    for (let pollMs = 1; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 2)) {
      const held = await this.#read(this.#path)
      if (held === null) {
        const turn = await this.#create(this.#path)
        if (turn !== null) return turn
        continue
      }
      const now = performance.now()
      if (held.turn !== seen.turn) seen = { turn: held.turn, since: now }
      const life = await lifeOf(held)
      const isSlow = now - seen.since > this.#patienceMs
      const isDead = life === 'dead' || (life === 'unknown' && isSlow)
      if (now - began > QUEUE * this.#patienceMs || (isSlow && !isDead))
        throw new LockBusy(`process ${held.pid} does not finish writing to it`)
      if (isDead) await this.#breakOpen(held)
      if (now - began > IMPATIENT_MS) await writeFile(waiting, '', { mode: 0o600 })
      await sleep(pollMs * (0.5 + Math.random()))
    }
  }

  /**
   * Removes the lock of a dead process. If two did so at once, the second would remove the lock that the first then took: each lock
   * file can be claimed once, by a file named after its turn. The claim of a dead claimant is claimed in the same way. The claimant
   * checks once more that the lock is still that one, removes it, and then the claims.
   */
  async #breakOpen(held: LockFile): Promise<void> {
    const claims: string[] = []
    for (let wanted = held.turn; ; ) {
      const claim = `${this.#path}.${wanted}`
      // Claims that form a circle are not ours.
      if (claims.includes(claim)) return
      claims.push(claim)
      if ((await this.#create(claim)) !== null) break
      const other = await this.#read(claim)
      if (other === null || (await lifeOf(other)) !== 'dead') return
      wanted = other.turn
    }
    if ((await this.#read(this.#path))?.turn === held.turn) await unlink(this.#path)
    for (const claim of claims) await rm(claim, { force: true })
  }

  /** Creates a complete file in one step. Null if there is one already. */
  async #create(path: string): Promise<string | null> {
    const turn = randomBytes(16).toString('hex')
    const text = JSON.stringify({ ...(await myMark()), turn } satisfies LockFile)
    const draft = `${this.#path}.${turn}.new`
    try {
      await writeNew(draft, text)
      await link(draft, path).catch(error => {
        if (!NO_LINKS.includes(codeOf(error))) throw error
        return writeNew(path, text)
      })
      return turn
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null
      throw error
    } finally {
      await rm(draft, { force: true })
    }
  }

  async #read(path: string): Promise<LockFile | null> {
    try {
      const parsed = lockFileSchema.safeParse(parseJson(await readFile(path, 'utf8')))
      return parsed.success ? parsed.data : UNKNOWN
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** File systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}
