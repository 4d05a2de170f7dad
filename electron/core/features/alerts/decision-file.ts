import { z } from 'zod'
import {
  alertRuleSchema,
  type Mute,
  muteSchema,
  type RuleBook,
  ruleBookSchema,
} from '../../../../shared/alerts.ts'
import { SharedFile } from '../../files/shared-file.ts'
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

export type Read = {
  readonly decided: Decided
  /** Why it was not understood, and what became of it. */
  readonly notice: string | null
  /** What is wrong with the rules in it. It is so until it is written again: only sound ones are. */
  readonly unsound: string | null
}

/** `read` is what somebody else had written, if so. */
export type Edited = { readonly decided: Decided; readonly read: Read | null }

/** `alerts.json` of the data folder, which several consoles may share, and which operators may edit while they run. */
export class DecisionFile {
  readonly #file: SharedFile<z.infer<typeof keptSchema>>

  constructor(folder: string) {
    const what = 'What was decided about alerts'
    const empty: z.infer<typeof keptSchema> = {
      version: 1,
      book: NOTHING_DECIDED.book,
      mutes: [],
      acknowledged: [],
    }
    this.#file = new SharedFile({ folder, name: 'alerts', what, schema: keptSchema, empty })
  }

  /** Null if unchanged. While the file is unreadable, what it said before holds. */
  async read({ setAside = false } = {}): Promise<Read | null> {
    return (await this.#file.read({ setAside })) ? this.#readOf(this.#file.value) : null
  }

  async edit(change: (decided: Decided) => Decided): Promise<Edited> {
    const { value, notice } = this.#file
    let read: Read | null = null
    let after = NOTHING_DECIDED
    await this.#file.update(kept => {
      const current = this.#readOf(kept)
      if (kept !== value || current.notice !== notice) read = current
      after = change(current.decided)
      const { book, mutes, acknowledged } = after
      return { version: 1, book, mutes: [...mutes], acknowledged: [...acknowledged.values()] }
    })
    return { decided: after, read }
  }

  #readOf(kept: z.infer<typeof keptSchema>): Read {
    const { book, problems } = soundBook(kept.book)
    const acknowledged = new Map(
      kept.acknowledged.map(each => [alertIdOf(each.rule, each.address, each.lockId), each] as const),
    )
    return {
      decided: { book, mutes: kept.mutes, acknowledged },
      notice: this.#file.notice,
      unsound:
        problems.length === 0
          ? null
          : `${problems.slice(0, MOST_PROBLEMS).join('. ')}. Defaults apply there.`,
    }
  }
}
