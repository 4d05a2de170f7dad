import { randomBytes } from 'node:crypto'
import { access, link, open, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { sleep } from '../lib/timers.ts'
import { codeOf, parseJson } from './disk.ts'
import { lifeOf, myMark } from './process-mark.ts'

const heldSchema = z.object({
  pid: z.number().int().positive(),
  place: z.string(),
  started: z.string().nullable(),
  /** Another one with every acquisition. */
  turn: z.string().regex(/^[0-9a-f]{32}$/),
})
type Held = z.infer<typeof heldSchema>

/** A lock whose file says nothing that can be understood. */
const NOBODY: Held = { pid: 1, place: '', started: null, turn: '0'.repeat(32) }

const LONGEST_POLL_MS = 20
/** Whoever has waited so long says so, and whoever had the last turn then lets others go first for longer than they poll. */
const IMPATIENT_MS = 50
const COURTESY_MS = 40
/** Turns that change hands meanwhile are waited for so many times longer than one that does not. */
const QUEUE = 3

export class LockBusy extends Error {
  readonly code = 'EBUSY'
}

/**
 * One writer at a time, among all processes that use the folder. Whether a holder is dead is certain on this machine; a
 * holder on another one is given up when its turn has not ended for as long as we are patient.
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
      // What was done is done, whether the lock can be removed or not.
      await this.#release(turn).catch(() => {})
      this.#hadLastTurn = true
    }
  }

  /** Not when it was taken from us: then it is somebody else's. */
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
   * Removes the lock of a process that is gone. Two that find it dead at once must not both do so, or the second would
   * remove the lock that the first then took: each lock file can be claimed once, by a file that is named after its turn.
   * If a claimant died too, its claim is claimed in the same way. Whoever has the claim looks once more whether the lock
   * is still that one; only then is it removed, and only after that the claims.
   */
  async #breakOpen(held: Held): Promise<void> {
    const claims: string[] = []
    for (let wanted = held.turn; ; ) {
      const claim = `${this.#path}.${wanted}`
      // Files that name each other in a circle are none of ours.
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

  /** A file that is either not there or has all that it says. Null when there is one already. */
  async #create(path: string): Promise<string | null> {
    const turn = randomBytes(16).toString('hex')
    const text = JSON.stringify({ ...(await myMark()), turn } satisfies Held)
    const draft = `${this.#path}.${turn}.new`
    try {
      await writeNew(draft, text)
      await link(draft, path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null
      if (!NO_LINKS.includes(codeOf(error))) throw error
      return (await writeNew(path, text).then(
        () => true,
        failure => {
          if (codeOf(failure) === 'EEXIST') return false
          throw failure
        },
      ))
        ? turn
        : null
    } finally {
      await rm(draft, { force: true })
    }
    return turn
  }

  async #read(path: string): Promise<Held | null> {
    try {
      const parsed = heldSchema.safeParse(parseJson(await readFile(path, 'utf8')))
      return parsed.success ? parsed.data : NOBODY
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
