import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { MINUTE_MS } from '../../../shared/duration.ts'

/** Which process: by its number, where that number counts, and (a number is given again) since when. */
export const processMarkSchema = z.object({
  pid: z.number().int().positive(),
  place: z.string(),
  started: z.string().nullable(),
})
type ProcessMark = Readonly<z.infer<typeof processMarkSchema>>

let mine: Promise<ProcessMark> | undefined

export function myMark(): Promise<ProcessMark> {
  mine ??= (async () => {
    // Two containers may have the same host name, but count their processes apart.
    const numbering = await readlink('/proc/self/ns/pid').catch(() => '')
    return {
      pid: process.pid,
      place: `${hostname()} ${numbering}`.trim(),
      started: (await startOf(process.pid))?.started ?? null,
    }
  })()
  return mine
}

/** `unknown` for a process on another machine. */
export async function lifeOf(mark: ProcessMark): Promise<'alive' | 'dead' | 'unknown'> {
  if (mark.place !== (await myMark()).place) return 'unknown'
  try {
    process.kill(mark.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead'
  }
  const now = await startOf(mark.pid)
  // Without /proc the number may have been reused.
  if (now === null || mark.started === null) return 'unknown'
  return now.ended || now.started !== mark.started ? 'dead' : 'alive'
}

/** Without a sign of life for this long, a process on another machine counts as dead. */
const SILENT_MS = MINUTE_MS

/** Whether a process is alive; on another machine, by the time since its last sign of life. */
export async function isAlive(mark: ProcessMark, silentMs: number): Promise<boolean> {
  const life = await lifeOf(mark)
  return life === 'unknown' ? silentMs < SILENT_MS : life === 'alive'
}

async function startOf(pid: number): Promise<{ started: string; ended: boolean } | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may have anything in it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { started: `${boot.trim()} ${fields[19]}`, ended: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return null
  }
}
