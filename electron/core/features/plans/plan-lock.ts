import { rm, utimes } from 'node:fs/promises'
import { codeOf } from '../../files/disk.ts'
import {
  breakOpen,
  createLockFile,
  isHolderAlive,
  type LockFile,
  readLockFile,
} from '../../files/lock-file.ts'
import { StoreError } from '../../lib/errors.ts'

const SIGN_OF_LIFE_MS = 10_000
/** Other processes may take the plan between two attempts. */
const MOST_ATTEMPTS = 3

/**
 * One process at a time changes or applies a plan, to keep its journal consistent. No lock could be released twice without
 * this. The lock file of a dead process is taken over.
 */
export async function lockPlan(planPath: string): Promise<() => Promise<void>> {
  const path = `${planPath}.applying`
  const turn = await acquire(path)
  const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), SIGN_OF_LIFE_MS)
  alive.unref()
  return async () => {
    clearInterval(alive)
    if ((await readLockFile(path).catch(() => null))?.turn === turn) await rm(path, { force: true })
  }
}

async function acquire(path: string): Promise<string> {
  try {
    let holder: LockFile | null = null
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const turn = await createLockFile(path)
      if (turn !== null) return turn
      holder = await readLockFile(path)
      if (holder && (await isHolderAlive(path, holder))) break
      if (holder) await breakOpen(path, holder)
    }
    const who = holder?.host ? `process ${holder.pid} on ${holder.host}` : 'another process'
    throw new StoreError(
      'REFUSED',
      `This plan is being changed or applied by ${who}: try again when it is done`,
    )
  } catch (error) {
    if (error instanceof StoreError) throw error
    const why = `The plan cannot be changed or applied here (${codeOf(error)}): its folder must be writable. Make a copy in a folder of your own, and use that`
    throw new StoreError('REFUSED', why, { cause: error })
  }
}
