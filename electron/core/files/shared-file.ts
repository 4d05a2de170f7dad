import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { ZodType } from 'zod'
import { WorkQueue } from '../lib/concurrency.ts'
import { StoreError } from '../lib/errors.ts'
import { codeOf, parseJson, replaceFile, versionOf } from './disk.ts'
import { FolderLock } from './folder-lock.ts'

export type SharedFileOptions<T> = {
  readonly folder: string
  /** Without its ending, which is `.json`. */
  readonly name: string
  /** Its contents, as the subject of a sentence: `The list of stores`. */
  readonly what: string
  readonly schema: ZodType<T>
  /** The value of a missing file. */
  readonly empty: T
}

/** A process that writes to the file for longer than this has stopped. */
const PATIENCE_MS = 2000

/** A JSON file that processes share: locked and re-read before each change, and replaced atomically. */
export class SharedFile<T> {
  readonly path: string
  readonly #lock: FolderLock
  readonly #queue = new WorkQueue()
  #version: string | null = null
  #value: T
  /** Why the file cannot be read. It may hold what others need, so it is not replaced either. */
  #problem: string | null = null
  #setAsideNotice: string | null = null

  constructor(readonly options: SharedFileOptions<T>) {
    this.#value = options.empty
    this.path = join(options.folder, `${options.name}.json`)
    this.#lock = new FolderLock(join(options.folder, `${options.name}.lock`), PATIENCE_MS)
  }

  /** As last read or written; while the file is unreadable, as it was before. */
  get value(): T {
    return this.#value
  }

  /** There is no file, or there is none any longer. */
  get isMissing(): boolean {
    return this.#value === this.options.empty
  }

  /** There is a file, and it could not be read yet: what it says is unknown. */
  get isUnread(): boolean {
    return this.isMissing && this.#problem !== null
  }

  /** What an operator should know of the file, as a sentence: it is unreadable, or was set aside. */
  get notice(): string | null {
    return this.#problem ?? this.#setAsideNotice
  }

  /** Reads a changed file; true if its value or notice changed. `setAside` moves an invalid file away, which may be being edited. */
  read({ setAside = false } = {}): Promise<boolean> {
    return this.#queue.run(() => this.#read(setAside))
  }

  /** Changes the file, on top of what other processes have changed. Returning the same value writes nothing. */
  update(change: (value: T) => T): Promise<T> {
    const { folder, name, what } = this.options
    return this.#queue.run(async () => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        return await this.#lock.run(async () => {
          await this.#read(false)
          if (this.#problem !== null)
            throw new StoreError(
              'REFUSED',
              `${this.#problem} It is not written before you fix or move ${name}.json`,
            )
          const value = change(this.#value)
          if (value !== this.#value) await this.#replace(value)
          return value
        })
      } catch (error) {
        if (error instanceof StoreError) throw error
        throw new StoreError('REFUSED', `${what} cannot be written (${codeOf(error)})`, { cause: error })
      }
    })
  }

  async #read(setAside: boolean): Promise<boolean> {
    const version = await versionOf(this.path)
    // A file whose permissions were fixed is readable again and has the same version.
    if (version === this.#version && this.#problem === null) return false
    const { empty } = this.options
    const before = { version: this.#version, problem: this.#problem }
    const parsed = await this.#parse()
    this.#version = version
    this.#problem = 'problem' in parsed ? parsed.problem : null
    if ('value' in parsed) {
      this.#value = parsed.value ?? empty
      if (parsed.value !== null) this.#setAsideNotice = null
    } else if (parsed.isInvalid && setAside) await this.#setAside()
    return before.version !== version || before.problem !== this.#problem
  }

  async #parse(): Promise<
    { readonly value: T | null } | { readonly problem: string; readonly isInvalid: boolean }
  > {
    const { what, schema } = this.options
    let text: string
    try {
      text = await readFile(this.path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { value: null }
      return { problem: `${what} cannot be read (${codeOf(error)}).`, isInvalid: false }
    }
    const parsed = schema.safeParse(parseJson(text))
    if (parsed.success) return { value: parsed.data }
    return { problem: `${what} could not be understood.`, isInvalid: true }
  }

  async #setAside(): Promise<void> {
    const { folder, name, what } = this.options
    const aside = `${name}.damaged-${Date.now()}.json`
    const work = async () => {
      // Another process may have set the damaged file aside and written a good one.
      if ((await versionOf(this.path)) !== this.#version) {
        await this.#read(false)
        return
      }
      await rename(this.path, join(folder, aside))
      this.#problem = null
      this.#setAsideNotice = `${what} could not be understood and was set aside as ${aside}.`
      this.#version = await versionOf(this.path)
    }
    // A file that cannot be moved stays, and so does its problem.
    await this.#lock.run(work).catch(() => {})
  }

  async #replace(value: T): Promise<void> {
    await replaceFile(this.path, `${JSON.stringify(value, null, 2)}\n`, { flush: true })
    this.#version = await versionOf(this.path)
    this.#value = value
  }
}
