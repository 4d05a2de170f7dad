import { z } from 'zod'
import { SharedFile } from '../../files/shared-file.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { within } from '../../lib/timers.ts'
import { type HoldRecord, holdRecordSchema } from './hold-record.ts'

/** A request to another console without an answer for this long has an unknown outcome. */
const ANSWER_MS = 15_000
/** Ended holds kept for the list; the audit log has them all. */
const MOST_ENDED = 20

const fileSchema = z.object({ version: z.literal(1), holds: z.array(holdRecordSchema) })

export type Change = (hold: HoldRecord) => HoldRecord
type Edit = (holds: HoldRecord[]) => HoldRecord[]

/**
 * The holds of all consoles: `holds.json`. A fact about our own hold counts even while it cannot be written, and is written as
 * soon as possible; a decision counts only once it is written. An unreadable file stays: other consoles depend on its holds.
 */
export class HoldBook {
  readonly #file: SharedFile<z.infer<typeof fileSchema>>
  readonly #listeners = new Set<() => void>()
  #kept: HoldRecord[] = []
  #unwritten: readonly Edit[] = []
  #all = new Map<string, HoldRecord>()
  /** Holds that this console keeps. */
  readonly #mine = new Set<string>()
  readonly #fileQueue = new WorkQueue()

  constructor(
    folder: string,
    readonly answerMs = ANSWER_MS,
  ) {
    const empty = { version: 1 as const, holds: [] }
    const what = 'The list of maintenance holds'
    this.#file = new SharedFile({ folder, name: 'holds', what, schema: fileSchema, empty })
  }

  /** Why the list may be incomplete, as a sentence. */
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
    let leave = () => {}
    const met = new Promise<HoldRecord>((resolve, reject) => {
      const check = () => {
        const hold = this.get(holdId)
        if (!hold) reject(new StoreError('NOT_FOUND', 'This hold no longer exists'))
        else if (isMet(hold)) resolve(hold)
      }
      leave = this.onChange(check)
      check()
    })
    return within(this.answerMs, met, noAnswer).finally(leave)
  }

  /** Reads the changes of others, and writes what could not be written before. True if the file had changed. */
  look(): Promise<boolean> {
    return this.#fileQueue.run(async () => {
      const isChanged = await this.#file.read()
      if (isChanged) this.#take(this.#file.value.holds)
      if (this.#unwritten.length > 0) await this.#write().catch(() => {})
      return isChanged
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
    const written = await this.#file.update(({ version, holds }) => ({
      version,
      holds: withoutOldest(edit(unwritten.reduce((all, apply) => apply(all), holds))),
    }))
    this.#unwritten = this.#unwritten.slice(unwritten.length)
    this.#take(written.holds)
  }

  /** The holds of the file, with what is not written yet. Ours go back into a file that was deleted or replaced. */
  #take(kept: HoldRecord[]): void {
    this.#kept = kept
    const holds = this.#current()
    const lost = [...this.#mine].flatMap(holdId =>
      holds.some(each => each.holdId === holdId) ? [] : (this.#all.get(holdId) ?? []),
    )
    for (const hold of lost) {
      const back: Edit = all => (all.some(each => each.holdId === hold.holdId) ? all : [...all, hold])
      this.#unwritten = [back, ...this.#unwritten]
    }
    this.#all = new Map(this.#current().map(hold => [hold.holdId, hold]))
    for (const listener of [...this.#listeners]) listener()
  }

  #current(): HoldRecord[] {
    return this.#unwritten.reduce((holds, apply) => apply(holds), this.#kept)
  }
}

function each(holdId: string, change: Change): Edit {
  return holds => holds.map(hold => (hold.holdId === holdId ? change(hold) : hold))
}

function withoutOldest(holds: HoldRecord[]): HoldRecord[] {
  const endOf = ({ ended }: HoldRecord) => ended?.at ?? 0
  const ended = holds.filter(each => each.state === 'ended').sort((a, b) => endOf(b) - endOf(a))
  const dropped = new Set(ended.slice(MOST_ENDED))
  return holds.filter(each => !dropped.has(each))
}

function noAnswer(): StoreError {
  return new StoreError(
    'REFUSED',
    'The console that keeps this hold has not answered yet: list the holds again to see the outcome',
    { uncertain: true },
  )
}
