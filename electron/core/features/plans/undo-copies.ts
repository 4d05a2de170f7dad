import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { planEntrySchema, planStoreSchema } from '../../../../shared/plans.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { appendTo, codeOf, parseJson } from '../../files/disk.ts'
import { InstallationKey, type Sign } from '../../files/installation-key.ts'
import { eachYielding, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'

const undoCopySchema = z.object({
  at: z.number(),
  /** Until when it may be restored. */
  until: z.number(),
  store: planStoreSchema,
  entry: planEntrySchema,
  copy: z
    .object({
      id: z.string(),
      format: z.string(),
      fence: z.string(),
      endsAt: z.number().nullable(),
      data: z.unknown(),
    })
    .nullable(),
})
/** A record as it was just before its release, and its store. `copy` is null if it cannot be restored. */
export type UndoCopy = z.infer<typeof undoCopySchema>
export type Restorable = UndoCopy & { readonly copy: NonNullable<UndoCopy['copy']> }

/** Every line ends with its signature. */
const SIGNED = /^(.*),"sign":"([0-9a-f]{64})"\}$/s

const undoLineSchema = z.union([z.object({ released: z.array(z.number()) }), undoCopySchema])
/** The plan that restores these. */
const claimSchema = z.object({ by: z.string(), places: z.array(z.number()) })

/** The times of a file are within this many bytes of its start. */
const FIRST_LINE = 64

/** The locks of a plan or a single release, as far as they can be undone. */
export type Undoable = Awaited<ReturnType<UndoCopies['undoable']>>

/**
 * Copies of released locks for an undo, in one file per plan or single release. They contain tokens, so only this account may
 * read them, and they are deleted when the time for an undo is over. A copy is on disk before its lock is touched, and counts
 * only once the release is confirmed: restoring a lock that its holder released would create a lock without a holder. For
 * the same reason only one plan restores it. Each line is signed for its release by this installation, so that nothing else is restored.
 */
export class UndoCopies {
  readonly #folder: string
  readonly #key: InstallationKey

  constructor(
    dataFolder: string,
    /** Zero keeps no copies. */
    readonly windowMs: number,
    readonly now: () => number = Date.now,
  ) {
    this.#folder = join(dataFolder, 'undo')
    this.#key = new InstallationKey(dataFolder)
  }

  async keep(of: string, kept: readonly Omit<UndoCopy, 'until'>[]): Promise<void> {
    if (this.windowMs <= 0 || kept.length === 0) return
    const lines = kept.map(each => ({ until: Math.round(each.at + this.windowMs), ...each }))
    await this.#appendSigned(of, lines).catch(failAs('The copies for an undo cannot be written'))
  }

  /** If this cannot be written, these locks cannot be undone; their release stands. */
  async released(of: string, places: readonly number[]): Promise<void> {
    if (this.windowMs <= 0 || places.length === 0) return
    await this.#appendSigned(of, [{ released: places }]).catch(() => {})
  }

  /** Before the restore: afterwards their holders may release them, and no other undo may restore them again. */
  async claim(of: string, by: string, places: readonly number[]): Promise<void> {
    const claim = [safeJson({ by, places })]
    await this.#append(this.#claims(of), claim).catch(failAs('The claim of this undo cannot be written'))
  }

  /** The plan that restores each lock. */
  async claimed(of: string): Promise<ReadonlyMap<number, string>> {
    const claims = new Map<number, string>()
    for (const line of (await read(this.#claims(of))).split('\n')) {
      const { by = '', places = [] } = claimSchema.safeParse(parseJson(line)).data ?? {}
      for (const n of places) if (!claims.has(n)) claims.set(n, by)
    }
    return claims
  }

  /** What can be restored now. The plan `by` may continue with its own claims. */
  async undoable(of: string, by: string | null = null) {
    const now = this.now()
    const copies = new Map<number, UndoCopy>()
    const released = new Set<number>()
    const claims = await this.claimed(of)
    const text = await read(this.#path(of))
    // Looking must work where nothing can be written, such as a key, and also without one.
    const signer =
      text === ''
        ? null
        : await settle(() => this.#signer(of).catch(failAs('The copies for this undo cannot be checked')))
    const sign = signer?.ok ? signer.value : null
    let refusal = signer?.ok === false ? signer.error : null
    await eachYielding(text.split('\n'), line => {
      const { data } = undoLineSchema.safeParse(parseJson(line))
      const [, body = '', signature] = SIGNED.exec(line) ?? []
      if (data && (signature === undefined || signature !== sign?.(body))) {
        refusal ??= forged()
        return
      }
      if (data && 'released' in data) for (const n of data.released) released.add(n)
      // A lock that was attempted twice has two copies: the later one was released.
      else if (data) copies.set(data.entry.n, data)
    })
    const inTime = [...copies.values()].filter(({ entry, until }) => released.has(entry.n) && now < until)
    const free = inTime.filter(({ entry: { n } }) => !claims.has(n) || claims.get(n) === by)
    return {
      restorable: free.filter((kept): kept is Restorable => kept.copy !== null),
      /** Released with them, without a copy: of a format that rules it out, or too large. */
      unrestorable: free.filter(({ copy }) => copy === null),
      /** Already restored, or claimed for it. */
      restored: inTime.length - free.length,
      /** Some lines were not written by this installation for this release, or the key to tell is unusable. They count for nothing. */
      refusal,
    }
  }

  /** Until when some of it can be restored: the last write is the last release, and the first line has the window. */
  async until(of: string): Promise<number | null> {
    const handle = await open(this.#path(of), 'r').catch(() => null)
    if (!handle) return null
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE), 0, FIRST_LINE, 0)
      const [, until, at] =
        /^\{"until":(\d+),"at":(\d+)/.exec(buffer.subarray(0, bytesRead).toString('latin1')) ?? []
      const { mtimeMs } = await handle.stat()
      return until === undefined || at === undefined ? null : mtimeMs + Number(until) - Number(at)
    } finally {
      await handle.close()
    }
  }

  /** Deletes expired copies, each by the window it was kept for. */
  async purge(): Promise<void> {
    const now = this.now()
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const of = /^([\w-]{1,64})\.jsonl$/.exec(name)?.[1]
      if (of === undefined) continue
      const until = await this.until(of)
      if (until === null || now < until) continue
      for (const path of [this.#path(of), this.#claims(of)]) await rm(path, { force: true }).catch(() => {})
    }
  }

  /** A line is only good for the release that it was written for. */
  async #signer(of: string): Promise<Sign> {
    const sign = await this.#key.signer('undo')
    return text => sign(`${of}\n${text}`)
  }

  async #appendSigned(of: string, lines: readonly object[]): Promise<void> {
    const path = this.#path(of)
    const sign = await this.#signer(of)
    const bodies = lines.map(line => safeJson(line).slice(0, -1))
    await this.#append(
      path,
      bodies.map(body => `${body},"sign":"${sign(body)}"}`),
    )
  }

  async #append(path: string, lines: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await appendTo(path, lines.map(line => `${line}\n`).join(''), { flush: true })
  }

  #claims(of: string): string {
    return `${this.#path(of)}.claims`
  }

  /** Ids come from outside: only a plain name leads to a file. */
  #path(of: string): string {
    if (!/^[\w-]{1,64}$/.test(of))
      throw new StoreError('BAD_INPUT', 'This is not the id of a plan or a release')
    return join(this.#folder, `${of}.jsonl`)
  }
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

function forged(): StoreError {
  return new StoreError(
    'REFUSED',
    'The copies for this undo were changed, are not of this release, or were signed with an earlier key: nothing is restored',
  )
}

function failAs(what: string): (error: unknown) => never {
  return error => {
    if (error instanceof StoreError) throw error
    throw new StoreError('REFUSED', `${what} (${codeOf(error)}), so nothing was changed`, { cause: error })
  }
}
