import { mkdir, open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { planEntrySchema, planStoreSchema } from '../../../../shared/plan.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { StoreError } from '../../errors.ts'

const copySchema = z.object({
  id: z.string(),
  format: z.string(),
  fence: z.string(),
  endsAt: z.number().nullable(),
  data: z.unknown(),
})

const keptSchema = z.object({
  at: z.number(),
  store: planStoreSchema,
  entry: planEntrySchema,
  copy: copySchema.nullable(),
})
/** A record as it was just before it was released, and where. Without a copy where its format cannot be put back. */
export type Kept = z.infer<typeof keptSchema>
export type Restorable = Kept & { readonly copy: NonNullable<Kept['copy']> }

const releasedSchema = z.object({ released: z.array(z.number()) })
const restoredSchema = z.object({ restored: z.array(z.number()) })

/** What is known of a plan or a single release that may still be undone. */
export type Undoable = {
  readonly restorable: readonly Restorable[]
  /** Released with them, in a format that cannot be put back. */
  readonly unrestorable: readonly Kept[]
  /** How many were put back already. */
  readonly restored: number
}

/**
 * Copies of what is being released, so that it can be put back: a file for each plan or single release. They hold tokens,
 * so they are for this account alone and are deleted when the time for an undo is over. A copy is on disk before its lock is
 * touched, and counts only once it is known that the lock was released: to put back what its holder gave up by itself
 * would make a lock that nobody holds.
 */
export class UndoCopies {
  readonly #folder: string

  constructor(
    dataFolder: string,
    /** Zero keeps no copies at all. */
    readonly windowMs: number,
  ) {
    this.#folder = join(dataFolder, 'undo')
  }

  async keep(of: string, kept: readonly Kept[]): Promise<void> {
    if (this.windowMs <= 0 || kept.length === 0) return
    await this.#append(
      of,
      kept.map(each => safeJson(each)),
    ).catch(error => {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
      throw new StoreError(
        'REFUSED',
        `The copies for an undo cannot be kept (${code}), so nothing was changed`,
        {
          cause: error,
        },
      )
    })
  }

  /** When it cannot be noted, these cannot be undone; what was released stays released. */
  async released(of: string, places: readonly number[]): Promise<void> {
    if (this.windowMs <= 0 || places.length === 0) return
    await this.#append(of, [safeJson({ released: places })]).catch(() => {})
  }

  /** Its holder may release it from now on: a second undo must not put it back again. */
  async restored(of: string, places: readonly number[]): Promise<void> {
    if (this.windowMs <= 0 || places.length === 0) return
    const path = this.#path(of)
    const { atime, mtime } = await stat(path)
    await this.#append(of, [safeJson({ restored: places })])
    // The copies are no younger for it: they go when the time of the releases is over.
    await utimes(path, atime, mtime)
  }

  /** What can be put back now. */
  async restorable(of: string, now = Date.now()): Promise<readonly Restorable[]> {
    return (await this.undoable(of, now)).restorable
  }

  async undoable(of: string, now = Date.now()): Promise<Undoable> {
    const copies = new Map<number, Kept>()
    const released = new Set<number>()
    const restored = new Set<number>()
    for (const line of (await this.#read(of)).split('\n')) {
      const value = parse(line)
      const kept = keptSchema.safeParse(value)
      // A lock that was tried twice has two copies: the later one is what was released.
      if (kept.success) copies.set(kept.data.entry.n, kept.data)
      const note = releasedSchema.safeParse(value)
      if (note.success) for (const n of note.data.released) released.add(n)
      const back = restoredSchema.safeParse(value)
      if (back.success) for (const n of back.data.restored) restored.add(n)
    }
    const inTime = [...copies.values()].filter(
      ({ entry, at }) => released.has(entry.n) && this.isInTime(at, now),
    )
    const open = inTime.filter(({ entry }) => !restored.has(entry.n))
    return {
      restorable: open.filter((kept): kept is Restorable => kept.copy !== null),
      unrestorable: open.filter(({ copy }) => copy === null),
      restored: inTime.length - open.length,
    }
  }

  isInTime(at: number, now = Date.now()): boolean {
    return now < at + this.windowMs
  }

  /** Deletes what nobody may put back any more. */
  async purge(now = Date.now()): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      const written = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => now,
      )
      if (!this.isInTime(written, now)) await rm(path, { force: true }).catch(() => {})
    }
  }

  async #append(of: string, lines: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const handle = await open(this.#path(of), 'a', 0o600)
    try {
      await handle.appendFile(lines.map(line => `${line}\n`).join(''))
      await handle.datasync()
    } finally {
      await handle.close()
    }
  }

  #read(of: string): Promise<string> {
    return readFile(this.#path(of), 'utf8').catch(() => '')
  }

  /** Ids come from outside: nothing but a plain name leads to a file. */
  #path(of: string): string {
    if (!/^[\w-]{1,64}$/.test(of))
      throw new StoreError('BAD_INPUT', 'This is not the id of a plan or a release')
    return join(this.#folder, `${of}.jsonl`)
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
