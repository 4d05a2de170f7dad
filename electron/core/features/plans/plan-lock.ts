import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { codeOf, parseJson } from '../../files/disk.ts'
import { FolderLock, LockBusy } from '../../files/folder-lock.ts'
import { isAlive, myMark } from '../../files/process-mark.ts'
import { StoreError } from '../../lib/errors.ts'

const holderSchema = z.object({
  pid: z.number(),
  host: z.string(),
  place: z.string(),
  started: z.string().nullable(),
  mark: z.string(),
})
type Holder = z.infer<typeof holderSchema>

const SIGN_OF_LIFE_MS = 10_000
/** How long another process may take to look at the lock file. */
const PATIENCE_MS = 2000

/**
 * One process at a time changes or applies a plan, to keep its journal consistent. No lock could be released twice without
 * this. The lock file of a dead process is taken over.
 */
export async function lockPlan(planPath: string): Promise<() => Promise<void>> {
  const path = `${planPath}.applying`
  const mine: Holder = { ...(await myMark()), host: hostname(), mark: randomUUID() }
  try {
    await new FolderLock(`${path}.lock`, PATIENCE_MS).run(async () => {
      const holder = await holderOf(path)
      if (holder && (await isAlive(holder, await silentMsOf(path))))
        throw new StoreError(
          'REFUSED',
          `This plan is being changed or applied by process ${holder.pid} on ${holder.host}: try again when it is done`,
        )
      await writeFile(path, JSON.stringify(mine), { mode: 0o600 })
    })
  } catch (error) {
    if (error instanceof StoreError) throw error
    const why =
      error instanceof LockBusy
        ? 'This plan is being changed or applied by another process: try again when it is done'
        : `The plan cannot be changed or applied here (${codeOf(error)}): its folder must be writable`
    throw new StoreError('REFUSED', why, { cause: error })
  }
  const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), SIGN_OF_LIFE_MS)
  alive.unref()
  return async () => {
    clearInterval(alive)
    if ((await holderOf(path))?.mark === mine.mark) await rm(path, { force: true })
  }
}

/** How long ago its holder touched the lock file. */
async function silentMsOf(path: string): Promise<number> {
  const touched = await stat(path).catch(() => null)
  return touched ? Date.now() - touched.mtimeMs : Number.POSITIVE_INFINITY
}

/** Null without a lock file, and for one that a process died writing. */
async function holderOf(path: string): Promise<Holder | null> {
  return holderSchema.safeParse(parseJson(await readFile(path, 'utf8').catch(() => ''))).data ?? null
}
