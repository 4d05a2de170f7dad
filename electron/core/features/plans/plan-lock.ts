import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { lifeOf, myMark } from '../../files/process-mark.ts'
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
/** Without a sign of life for this long, a process on another machine has lost the plan. */
const SILENT_MS = MINUTE_MS

/**
 * One process at a time changes or applies a plan, to keep its journal consistent. No lock could be released twice without
 * this. The lock file of a dead process is taken over.
 */
export async function lockPlan(planPath: string): Promise<() => Promise<void>> {
  const path = `${planPath}.applying`
  const { pid, place, started } = await myMark()
  const mine: Holder = { pid, place, started, host: hostname(), mark: randomUUID() }
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await claim(path, mine)) {
      const alive = setInterval(
        () => void utimes(path, new Date(), new Date()).catch(() => {}),
        SIGN_OF_LIFE_MS,
      )
      alive.unref()
      return async () => {
        clearInterval(alive)
        if ((await holderOf(path))?.mark === mine.mark) await rm(path, { force: true })
      }
    }
    const holder = await holderOf(path)
    if (holder && (await isAlive(path, holder)))
      throw new StoreError(
        'REFUSED',
        `This plan is being changed or applied by process ${holder.pid} on ${holder.host}: try again when it is done`,
      )
    await setAside(path, holder)
  }
  throw new StoreError(
    'REFUSED',
    'This plan is being changed or applied by another process: try again when it is done',
  )
}

/** Creates the file with its content in one step: a reader never finds an empty one. */
async function claim(path: string, mine: Holder): Promise<boolean> {
  const draft = `${path}.${mine.mark}`
  try {
    await writeFile(draft, JSON.stringify(mine), { mode: 0o600, flag: 'wx' })
    await link(draft, path)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') return false
    throw new StoreError(
      'REFUSED',
      `The plan cannot be changed or applied here (${code}): its folder must be writable`,
    )
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}

async function isAlive(path: string, holder: Holder): Promise<boolean> {
  const life = await lifeOf(holder)
  if (life !== 'unknown') return life === 'alive'
  const touchedAt = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return Date.now() - touchedAt < SILENT_MS
}

/** Moves the file first and checks it then: if another process has taken it over meanwhile, it gets its file back. */
async function setAside(path: string, dead: Holder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  const moved = await holderOf(aside)
  if (moved?.mark === dead?.mark) await rm(aside, { force: true })
  else await rename(aside, path).catch(() => {})
}

async function holderOf(path: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}
