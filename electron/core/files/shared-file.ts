import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ZodType } from 'zod'
import { WorkQueue } from '../lib/concurrency.ts'
import { StoreError } from '../lib/errors.ts'
import { codeOf, parseJson } from './disk.ts'

export type KeptFileOptions<T> = {
  readonly folder: string
  /** Without its ending, which is `.json`. */
  readonly name: string
  /** What is in it, as a sentence begins: `The list of stores`. */
  readonly what: string
  readonly schema: ZodType<T>
}

/** One file of the data folder that is read and replaced as a whole. */
export class KeptFile<T> {
  readonly #options: KeptFileOptions<T>
  readonly #path: string
  /** There is one that we could neither read nor set aside: it is not ours to overwrite. */
  #untouchable = false
  readonly #writes = new WorkQueue()

  constructor(options: KeptFileOptions<T>) {
    this.#options = options
    this.#path = join(options.folder, `${options.name}.json`)
  }

  /**
   * A file that cannot be understood is set aside, never overwritten: somebody may want to mend it. Whoever writes none
   * leaves it where it is.
   */
  async read({
    setAside = true,
  } = {}): Promise<{ readonly value: T | null; readonly notice: string | null }> {
    const { folder, name, what, schema } = this.#options
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      this.#untouchable = codeOf(error) !== 'ENOENT'
      if (!this.#untouchable) return { value: null, notice: null }
      return { value: null, notice: `${what} cannot be read (${codeOf(error)}).` }
    }
    const parsed = schema.safeParse(parseJson(text))
    this.#untouchable = false
    if (parsed.success) return { value: parsed.data, notice: null }
    const aside = `${name}.damaged-${Date.now()}.json`
    const moved =
      setAside &&
      (await rename(this.#path, join(folder, aside)).then(
        () => true,
        () => false,
      ))
    this.#untouchable = !moved
    const notice = moved
      ? `${what} could not be understood and was set aside as ${aside}.`
      : `${what} could not be understood.`
    return { value: null, notice }
  }

  /** Whole or not at all, one after the other: a crash leaves the old one or the new one. */
  write(value: T): Promise<void> {
    const text = `${JSON.stringify(value, null, 2)}\n`
    return this.#writes.run(() => this.#replace(text))
  }

  async #replace(text: string): Promise<void> {
    const { folder, what } = this.#options
    if (this.#untouchable)
      throw new StoreError('REFUSED', `${what} could not be read, so it is not written either`)
    const draft = `${this.#path}.${process.pid}.new`
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const handle = await open(draft, 'w', 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, this.#path)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw new StoreError('REFUSED', `${what} cannot be written (${codeOf(error)})`, { cause: error })
    }
  }
}
