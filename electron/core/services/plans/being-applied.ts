import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { StoreError } from '../../errors.ts'

type Holder = { readonly pid: number; readonly host: string; readonly mark: string }

/**
 * One process applies a plan at a time, so that its journal tells one story. Even without this no lock could be released
 * twice. What a process that died left behind is taken over.
 */
export async function takePlan(planPath: string): Promise<() => Promise<void>> {
  const path = `${planPath}.applying`
  const mine: Holder = { pid: process.pid, host: hostname(), mark: randomUUID() }
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const handle = await open(path, 'wx', 0o600)
      try {
        await handle.writeFile(JSON.stringify(mine))
      } finally {
        await handle.close()
      }
      return async () => {
        if ((await holderOf(path))?.mark === mine.mark) await rm(path, { force: true })
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'EEXIST') throw new StoreError('REFUSED', `The plan cannot be applied here (${code})`)
    }
    const holder = await holderOf(path)
    if (holder && !isDead(holder))
      throw new StoreError('REFUSED', `This plan is being applied by process ${holder.pid} on ${holder.host}`)
    await setAside(path, holder)
  }
  throw new StoreError('REFUSED', 'This plan is being applied by somebody else')
}

/** Moved first and looked at then: somebody may have taken it over in the meantime, and gets it back. */
async function setAside(path: string, dead: Holder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  const moved = await holderOf(aside)
  if (moved?.mark === dead?.mark) await rm(aside, { force: true })
  else await rename(aside, path).catch(() => {})
}

async function holderOf(path: string): Promise<Holder | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    const { pid, host, mark } = value as Record<string, unknown>
    return typeof pid === 'number' && typeof host === 'string' && typeof mark === 'string'
      ? { pid, host, mark }
      : null
  } catch {
    return null
  }
}

function isDead({ pid, host }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
