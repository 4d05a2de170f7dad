import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { HoldFile } from './hold-file.ts'
import type { HoldRecord } from './hold-record.ts'

/** A request to another console without an answer for this long has an unknown outcome. */
const ANSWER_MS = 15_000

export type Change = (hold: HoldRecord) => HoldRecord
type Edit = (holds: readonly HoldRecord[]) => readonly HoldRecord[]

/**
 * The holds of all consoles. A fact about our own hold counts even while it cannot be written, and is written as soon as
 * possible; a decision counts only once it is written.
 */
export class HoldBook {
  readonly #file: HoldFile
  readonly #answerMs: number
  readonly #listeners = new Set<() => void>()
  #kept: readonly HoldRecord[] = []
  #unwritten: readonly Edit[] = []
  #all = new Map<string, HoldRecord>()
  /** Holds that this console keeps. */
  readonly #mine = new Set<string>()
  readonly #fileQueue = new WorkQueue()

  constructor(folder: string, answerMs = ANSWER_MS) {
    this.#file = new HoldFile(folder)
    this.#answerMs = answerMs
  }

  get notice(): string | null {
    return this.#file.notice
  }

  all(): HoldRecord[] {
    return [...this.#all.values()]
  }

  get(holdId: string): HoldRecord | undefined {
    return this.#all.get(holdId)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits until the hold meets the condition. */
  when(holdId: string, isMet: (hold: HoldRecord) => boolean): Promise<HoldRecord> {
    return new Promise((resolve, reject) => {
      const finish = (answer: () => void) => {
        clearTimeout(timer)
        leave()
        answer()
      }
      const check = () => {
        const hold = this.get(holdId)
        if (!hold) finish(() => reject(new StoreError('NOT_FOUND', 'This hold no longer exists')))
        else if (isMet(hold)) finish(() => resolve(hold))
      }
      const timer = setTimeout(() => finish(() => reject(noAnswer())), this.#answerMs)
      const leave = this.onChange(check)
      check()
    })
  }

  /** Reads what others have written, and writes what we could not write before. True if the file had changed. */
  look(): Promise<boolean> {
    return this.#fileQueue.run(async () => {
      const read = await this.#file.read()
      if (read) this.#take(read)
      if (this.#unwritten.length > 0) await this.#write().catch(() => {})
      return read !== null
    })
  }

  /** From now on the hold is kept even if the file is lost. */
  keep(holdId: string): void {
    this.#mine.add(holdId)
  }

  leave(holdId: string): void {
    this.#mine.delete(holdId)
  }

  add(hold: HoldRecord): Promise<void> {
    return this.#decide(holds => [...holds, hold])
  }

  /** A fact as well: no lock was acquired, so there is no hold. */
  forget(holdId: string): Promise<void> {
    return this.#learn(holds => holds.filter(each => each.holdId !== holdId))
  }

  /** A decision: fails when it cannot be written. */
  decide(holdId: string, change: Change): Promise<void> {
    return this.#decide(each(holdId, change))
  }

  /** A fact: counts at once, and is written when possible. */
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
    const written = await this.#file.edit(holds => edit(unwritten.reduce((all, apply) => apply(all), holds)))
    this.#unwritten = this.#unwritten.slice(unwritten.length)
    this.#take(written)
  }

  #take(kept: readonly HoldRecord[]): void {
    this.#kept = kept
    this.#keepMine(kept)
    const all = this.#unwritten.reduce((holds, apply) => apply(holds), kept)
    this.#all = new Map(all.map(hold => [hold.holdId, hold]))
    for (const listener of [...this.#listeners]) listener()
  }

  /** Our holds go back into a file that was deleted or replaced. */
  #keepMine(kept: readonly HoldRecord[]): void {
    const known = new Set(
      this.#unwritten.reduce((holds, apply) => apply(holds), kept).map(each => each.holdId),
    )
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
    'The console that keeps this hold has not answered yet: list the holds again to see the outcome',
    {
      uncertain: true,
    },
  )
}
