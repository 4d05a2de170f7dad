import { randomBytes } from 'node:crypto'
import { readFile, rm, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { codeOf, createWholeFile, parseJson } from './disk.ts'
import { isAlive, myMark, processMarkSchema } from './process-mark.ts'

const lockFileSchema = processMarkSchema.extend({
  host: z.string().optional(),
  /** New with every acquisition. */
  turn: z.string().regex(/^[0-9a-f]{32}$/),
})
export type LockFile = z.infer<typeof lockFileSchema>

/** Stands for the holder of an invalid lock file. */
const UNKNOWN: LockFile = { pid: 1, place: '', started: null, turn: '0'.repeat(32) }

/** Creates a lock file, and returns its turn. Null if there is a file already. */
export async function createLockFile(path: string): Promise<string | null> {
  const turn = randomBytes(16).toString('hex')
  const text = JSON.stringify({ ...(await myMark()), host: hostname(), turn } satisfies LockFile)
  return (await createWholeFile(path, text)) ? turn : null
}

/** Null without a file. */
export async function readLockFile(path: string): Promise<LockFile | null> {
  try {
    return lockFileSchema.safeParse(parseJson(await readFile(path, 'utf8'))).data ?? UNKNOWN
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * Removes the lock file of a dead process. If two processes did so at once, the second would remove the lock that the first then
 * took. Each lock file can therefore be claimed once, by a file named after its turn, and the claim of a dead claimant is claimed in
 * the same way. The claimant checks once more that the lock file has the same turn, removes it, and then the claims.
 */
export async function breakOpen(path: string, held: LockFile): Promise<void> {
  const claims: string[] = []
  for (let wanted = held.turn; ; ) {
    const claim = `${path}.${wanted}`
    // Claims that form a circle are not ours.
    if (claims.includes(claim)) return
    claims.push(claim)
    if ((await createLockFile(claim)) !== null) break
    const other = await readLockFile(claim)
    if (other === null || (await isHolderAlive(claim, other))) return
    wanted = other.turn
  }
  if ((await readLockFile(path))?.turn === held.turn) await unlink(path)
  for (const claim of claims) await rm(claim, { force: true })
}

/** Whether the process of a lock file is alive; on another machine, by the time since it touched the file. */
export async function isHolderAlive(path: string, holder: LockFile): Promise<boolean> {
  const touched = await stat(path).catch(() => null)
  return isAlive(holder, touched ? Date.now() - touched.mtimeMs : Number.POSITIVE_INFINITY)
}
