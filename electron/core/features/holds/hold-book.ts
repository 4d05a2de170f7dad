import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { HoldFile } from './hold-file.ts'
import type { KeptHold } from './kept-hold.ts'

/** What is asked of another console is done within this, or not known to be. */
const ANSWER_MS = 15_000

export type Change = (hold: KeptHold) => KeptHold
type Edit = (holds: readonly KeptHold[]) => readonly KeptHold[]

/**
 * Every hold that is known, whoever keeps it. What was found out about one of ours counts also while it cannot be written, and
 * is written as soon as that is possible; what is a decision does not count before it is.
 */
export class HoldBook {
  readonly #file: HoldFile
  readonly #listeners = new Set<() => void>()
  #kept: readonly KeptHold[] = []
  #unwritten: readonly Edit[] = []
  #all = new Map<string, KeptHold>()
  /** Those that are kept here. */
  readonly #mine = new Set<string>()
  readonly #fileQueue = new WorkQueue()

  constructor(folder: string) {
    this.#file = new HoldFile(folder)
  }

  get notice(): string | null {
    return this.#file.notice
  }

  all(): KeptHold[] {
    return [...this.#all.values()]
  }

  get(holdId: string): KeptHold | undefined {
    return this.#all.get(holdId)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The hold, as soon as it is so. */
  when(holdId: string, isSo: (hold: KeptHold) => boolean): Promise<KeptHold> {
    return new Promise((resolve, reject) => {
      const finish = (answer: () => void) => {
        clearTimeout(timer)
        leave()
        answer()
      }
      const check = () => {
        const hold = this.get(holdId)
        if (!hold) finish(() => reject(new StoreError('NOT_FOUND', 'There is no such hold any more')))
        else if (isSo(hold)) finish(() => resolve(hold))
      }
      const timer = setTimeout(() => finish(() => reject(noAnswer())), ANSWER_MS)
      const leave = this.onChange(check)
      check()
    })
  }

  /** What others have written meanwhile, and what we could not write before. True when there was something. */
  look(): Promise<boolean> {
    return this.#fileQueue.run(async () => {
      const read = await this.#file.read()
      if (read) this.#take(read)
      if (this.#unwritten.length > 0) await this.#write().catch(() => {})
      return read !== null
    })
  }

  /** From now on it is not forgotten, whatever becomes of the file. */
  keep(holdId: string): void {
    this.#mine.add(holdId)
  }

  leave(holdId: string): void {
    this.#mine.delete(holdId)
  }

  add(hold: KeptHold): Promise<void> {
    return this.#decide(holds => [...holds, hold])
  }

  /** A fact as well: nothing was taken, so there is nothing to know of it. */
  forget(holdId: string): Promise<void> {
    return this.#learn(holds => holds.filter(each => each.holdId !== holdId))
  }

  /** A decision: fails when it cannot be written. */
  decide(holdId: string, change: Change): Promise<void> {
    return this.#decide(each(holdId, change))
  }

  /** A fact: counts at once, and is written when it can be. */
  note(holdId: string, change: Change): Promise<void> {
    return this.#learn(each(holdId, change))
  }

  async #learn(edit: Edit): Promise<void> {
    this.#unwritten = [...this.#unwritten, edit]
    this.#take(this.#kept)
    await this.#fileQueue.run(() => this.#write().catch(() => {}))
  }

  #decide(edit: Edit): Promise<void> {
    return this.#fileQueue.run(() => this.#write(edit))
  }

  async #write(edit: Edit = holds => holds): Promise<void> {
    const unwritten = this.#unwritten
    const written = await this.#file.edit(holds => edit(unwritten.reduce((all, how) => how(all), holds)))
    this.#unwritten = this.#unwritten.slice(unwritten.length)
    this.#take(written)
  }

  #take(kept: readonly KeptHold[]): void {
    this.#kept = kept
    this.#putBack(kept)
    const all = this.#unwritten.reduce((holds, how) => how(holds), kept)
    this.#all = new Map(all.map(hold => [hold.holdId, hold]))
    for (const listener of [...this.#listeners]) listener()
  }

  /** What somebody deleted with the file is held all the same. */
  #putBack(kept: readonly KeptHold[]): void {
    const known = new Set(this.#unwritten.reduce((holds, how) => how(holds), kept).map(each => each.holdId))
    for (const holdId of this.#mine) {
      const hold = this.#all.get(holdId)
      if (hold === undefined || known.has(holdId)) continue
      const back: Edit = holds => (holds.some(each => each.holdId === holdId) ? holds : [...holds, hold])
      this.#unwritten = [back, ...this.#unwritten]
    }
  }
}

function each(holdId: string, change: Change): Edit {
  return holds => holds.map(hold => (hold.holdId === holdId ? change(hold) : hold))
}

function noAnswer(): StoreError {
  return new StoreError(
    'REFUSED',
    'The console that keeps this hold has not answered yet: look at it again',
    {
      uncertain: true,
    },
  )
}
