import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  alertRuleSchema,
  type Mute,
  muteSchema,
  type RuleBook,
  ruleBookSchema,
} from '../../../../shared/alerts.ts'
import { codeOf } from '../../files/disk.ts'
import { markOf } from '../../files/file-version.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import { KeptFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'
import { alertIdOf } from './condition.ts'
import { soundBook } from './rule-book.ts'

/** Which alert it is about, in words that outlast the run. */
const acknowledgementSchema = z.object({
  rule: alertRuleSchema,
  address: z.string(),
  lockId: z.string().nullable(),
  by: z.string(),
  at: z.number(),
  reason: z.string(),
})
export type Acknowledgement = z.infer<typeof acknowledgementSchema>

const keptSchema = z.object({
  version: z.literal(1),
  book: ruleBookSchema,
  mutes: z.array(muteSchema),
  acknowledged: z.array(acknowledgementSchema),
})

/** What was decided. Acknowledgements are by the id of their alert. */
export type Decided = {
  readonly book: RuleBook
  readonly mutes: readonly Mute[]
  readonly acknowledged: ReadonlyMap<string, Acknowledgement>
}

export const NOTHING_DECIDED: Decided = {
  book: { all: {}, stores: {}, notify: true },
  mutes: [],
  acknowledged: new Map(),
}

/** Of what is wrong with the rules in it, so many are told. */
const MOST_PROBLEMS = 5
const WHAT = 'What was decided about alerts'
/** Somebody who writes to it for longer than this has stopped. */
const PATIENCE_MS = 2000

export type Read = {
  readonly decided: Decided
  /** Why it was not understood, and what became of it. */
  readonly notice: string | null
  /** What is wrong with the rules in it. It is so until it is written again: only sound ones are. */
  readonly unsound: string | null
}

/** `read` is what somebody else had written, if so. */
export type Edited = { readonly decided: Decided; readonly read: Read | null }

/**
 * `alerts.json` of the data folder, which several consoles may share, and which somebody may edit while they run: it is read
 * again when it is another one, and changed under a lock.
 */
export class DecisionFile {
  readonly #file: KeptFile<z.infer<typeof keptSchema>>
  readonly #folder: string
  readonly #path: string
  readonly #lock: FolderLock
  /** What the file was like when it was last read or written. */
  #mark: string | null = null
  #decided = NOTHING_DECIDED

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'alerts.json')
    this.#lock = new FolderLock(join(folder, 'alerts.lock'), PATIENCE_MS)
    this.#file = new KeptFile({ folder, name: 'alerts', what: WHAT, schema: keptSchema })
  }

  /**
   * What is in it; null when it is what it was at the last time. One that cannot be understood any more is left alone: whoever
   * edits it may not be done, and what it said before goes on.
   */
  async read({ setAside = false } = {}): Promise<Read | null> {
    const mark = await markOf(this.#path)
    if (mark === this.#mark) return null
    const { value, notice } = await this.#file.read({ setAside })
    // One that was set aside is there no more.
    this.#mark = setAside ? await markOf(this.#path) : mark
    if (value === null) {
      if (notice === null) this.#decided = NOTHING_DECIDED
      return { decided: this.#decided, notice, unsound: null }
    }
    const { book, problems } = soundBook(value.book)
    const acknowledged = new Map(
      value.acknowledged.map(each => [alertIdOf(each.rule, each.address, each.lockId), each] as const),
    )
    this.#decided = { book, mutes: value.mutes, acknowledged }
    return {
      decided: this.#decided,
      notice: null,
      unsound:
        problems.length === 0
          ? null
          : `${problems.slice(0, MOST_PROBLEMS).join('. ')}. There, what is usual holds instead.`,
    }
  }

  /** Changes what is in it, whoever else has changed it meanwhile. */
  async edit(how: (decided: Decided) => Decided): Promise<Edited> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await this.#lock.run(async () => {
        const read = await this.read()
        const decided = how(this.#decided)
        const { book, mutes, acknowledged } = decided
        await this.#file.write({
          ...{ version: 1, book, mutes: [...mutes], acknowledged: [...acknowledged.values()] },
        })
        this.#mark = await markOf(this.#path)
        this.#decided = decided
        return { decided, read }
      })
    } catch (error) {
      if (error instanceof StoreError) throw error
      throw new StoreError('REFUSED', `${WHAT} cannot be written (${codeOf(error)})`, { cause: error })
    }
  }
}
