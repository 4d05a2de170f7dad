import { z } from 'zod'
import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  alertRuleSchema,
  type Mute,
  muteSchema,
  type RuleBook,
  type RuleSettings,
  ruleBookSchema,
  settingOf,
} from '../../../../shared/alerts.ts'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { SharedFile } from '../../files/shared-file.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { toFailure } from '../../lib/errors.ts'
import { alertIdOf } from './condition.ts'
import { soundBook, withChanges } from './rule-book.ts'

/** Beyond it the oldest are evicted, and their alerts count again. */
const MOST_ACKNOWLEDGED = 20_000
/** How soon a change by another console or an editor applies here. */
const LOOK_MS = 2000
/** Acknowledgements of ended alerts are removed from the file together, now and then. */
const CLEAR_MS = MINUTE_MS
const MOST_PROBLEMS = 5

/** Names its alert in a way that outlasts the run. */
const acknowledgementSchema = z.object({
  rule: alertRuleSchema,
  address: z.string(),
  lockId: z.string().nullable(),
  by: z.string(),
  at: z.number(),
  reason: z.string(),
})
export type Acknowledgement = z.infer<typeof acknowledgementSchema>

const fileSchema = z.object({
  version: z.literal(1),
  book: ruleBookSchema,
  mutes: z.array(muteSchema),
  acknowledged: z.array(acknowledgementSchema),
})
type FileContent = z.infer<typeof fileSchema>

const EMPTY: FileContent = {
  version: 1,
  book: { all: {}, stores: {}, notify: true },
  mutes: [],
  acknowledged: [],
}

/** Acknowledgements are by the id of their alert. */
type Decided = Omit<FileContent, 'version' | 'acknowledged'> & {
  readonly acknowledged: Map<string, Acknowledgement>
}
type Edit = (decided: Decided) => Decided

export type DecisionsOptions = {
  readonly dataFolder: string
  /** Whether decisions are written. A host without a list of stores only obeys what was decided in a console. */
  readonly writes: boolean
  readonly now: () => number
  /** An operator decided something, here or in another console or an editor. */
  readonly changed: () => void
}

/**
 * What operators decided about alerts: rules, mutes and acknowledgements. Kept in `alerts.json` of the data folder, which several
 * consoles may share and operators may edit. If it cannot be written, decisions apply until the process ends.
 */
export class Decisions {
  readonly ready: Promise<void>
  readonly #file: SharedFile<FileContent>
  /** What the file says, the edits it does not have yet, and both together. */
  #kept = decidedIn(EMPTY)
  #edits: readonly Edit[] = []
  #decided = this.#kept
  /** Ended alerts, with when they were acknowledged. */
  readonly #over = new Map<string, number>()
  readonly #settings = new Map<string, RuleSettings>()
  /** Wrong rules in the file. They are gone once it is written again. */
  #unsound: string | null = null
  #unwritten: string | null = null
  readonly #fileQueue = new WorkQueue()
  #lookTimer: NodeJS.Timeout | undefined
  #clearTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(readonly options: DecisionsOptions) {
    const { dataFolder: folder, writes } = options
    const what = 'What was decided about alerts'
    this.#file = new SharedFile({ folder, name: 'alerts', what, schema: fileSchema, empty: EMPTY })
    this.ready = this.#read(writes).then(() => {
      if (!this.#isClosed) this.#lookTimer = setInterval(() => void this.look(), LOOK_MS).unref()
    })
  }

  get book(): RuleBook {
    return this.#decided.book
  }

  /** Mutes that have not run out. */
  get mutes(): readonly Mute[] {
    return lasting(this.#decided.mutes, this.options.now())
  }

  get acknowledged(): ReadonlyMap<string, Acknowledgement> {
    return this.#decided.acknowledged
  }

  get problem(): string | null {
    return this.#unwritten ?? this.#file.notice ?? this.#unsound
  }

  settingsOf(address: string): RuleSettings {
    const known = this.#settings.get(address)
    if (known) return known
    const settings = Object.fromEntries(
      ALERT_RULES.map(rule => [rule, settingOf(this.book, rule, address)]),
    ) as RuleSettings
    this.#settings.set(address, settings)
    return settings
  }

  /** Finds the mute of a lock, for one rule in one store. A null lock stands for the store as a whole. */
  mutedBy(rule: AlertRule, address: string): (lockId: string | null) => string | null {
    const here = this.mutes.filter(
      mute => (mute.rule ?? rule) === rule && (mute.address ?? address) === address,
    )
    if (here.length === 0) return () => null
    const all = here.find(({ lockId }) => lockId === null)
    const byLock = new Map(here.map(({ lockId, muteId }) => [lockId, muteId]))
    return lockId => all?.muteId ?? byLock.get(lockId) ?? null
  }

  acknowledgement(alertId: string): Alert['acknowledged'] {
    const known = this.#decided.acknowledged.get(alertId)
    return known ? { by: known.by, at: known.at, reason: known.reason } : null
  }

  /** `before` is the book the operator was shown and edited. */
  decide(book: RuleBook, before = this.book): Promise<void> {
    return this.#decide(decided => ({ ...decided, book: withChanges(decided.book, before, book) }))
  }

  mute(mute: Mute): Promise<void> {
    return this.#decide(decided => ({ ...decided, mutes: [...decided.mutes, mute] }))
  }

  unmute(muteId: string): Promise<void> {
    return this.#decide(decided => ({
      ...decided,
      mutes: decided.mutes.filter(mute => mute.muteId !== muteId),
    }))
  }

  acknowledge(all: readonly Acknowledgement[]): Promise<void> {
    return this.#decide(decided => ({ ...decided, acknowledged: withThese(decided.acknowledged, all) }))
  }

  /** The alert has ended: the next one with its id is new. */
  forget(alertId: string): void {
    const { acknowledged } = this.#decided
    const known = acknowledged.get(alertId)
    if (known) this.#over.set(alertId, known.at)
    acknowledged.delete(alertId)
    if (this.options.writes && this.#over.size > 0)
      this.#clearTimer ??= setTimeout(() => void this.#write(), CLEAR_MS).unref()
  }

  /** Takes in what others changed in the file. */
  async look(): Promise<void> {
    if (!(await this.#read(false))) return
    // Edits that could not be written before.
    if (this.#edits.length > 0) await this.#write()
    this.options.changed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#lookTimer)
    if (this.#clearTimer || this.#edits.length > 0) await this.#write()
  }

  async #decide(edit: Edit): Promise<void> {
    this.#edits = [...this.#edits, edit]
    this.#recompute()
    this.options.changed()
    await this.#write()
    this.options.changed()
  }

  #recompute(): void {
    const decided = this.#edits.reduce((each, edit) => edit(each), this.#kept)
    // An alert that was acknowledged again has begun again.
    const acknowledged = [...decided.acknowledged].filter(
      ([alertId, { at }]) => this.#over.get(alertId) !== at,
    )
    this.#decided = { ...decided, acknowledged: new Map(acknowledged) }
    this.#settings.clear()
  }

  #read(setAside: boolean): Promise<boolean> {
    return this.#fileQueue.run(async () => {
      const hasChanged = await this.#file.read({ setAside })
      if (hasChanged) this.#take(this.#file.value)
      return hasChanged
    })
  }

  #take(content: FileContent): void {
    const { book, problems } = soundBook(content.book)
    this.#kept = decidedIn({ ...content, book })
    const first = problems.slice(0, MOST_PROBLEMS).join('. ')
    this.#unsound = problems.length === 0 ? null : `${first}. Defaults apply there.`
    this.#recompute()
  }

  /** Never fails: the list of alerts says what could not be written. */
  async #write(): Promise<void> {
    clearTimeout(this.#clearTimer)
    this.#clearTimer = undefined
    if (!this.options.writes) return
    await this.#fileQueue.run(async () => {
      const { value, notice } = this.#file
      let edits: readonly Edit[] = []
      let over: (readonly [string, number])[] = []
      let isByOthers = false
      try {
        await this.#file.update(content => {
          edits = this.#edits
          over = [...this.#over]
          isByOthers = content !== value || this.#file.notice !== notice
          if (isByOthers) this.#take(content)
          const { book, mutes, acknowledged } = this.#decided
          return {
            version: 1,
            book,
            mutes: lasting(mutes, this.options.now()),
            acknowledged: [...acknowledged.values()],
          }
        })
        this.#kept = decidedIn(this.#file.value)
        if (!isByOthers) this.#unsound = null
        this.#edits = this.#edits.filter(edit => !edits.includes(edit))
        for (const [alertId, at] of over) if (this.#over.get(alertId) === at) this.#over.delete(alertId)
        this.#unwritten = null
        this.#recompute()
      } catch (error) {
        this.#unwritten = `${toFailure(error).message}; it applies until Lockkeeper exits.`
      }
      if (isByOthers) this.options.changed()
    })
  }
}

function decidedIn({ book, mutes, acknowledged }: FileContent): Decided {
  return { book, mutes, acknowledged: withThese(new Map(), acknowledged) }
}

function lasting(mutes: readonly Mute[], now: number): Mute[] {
  return mutes.filter(({ until }) => until === null || until > now)
}

function withThese(
  known: ReadonlyMap<string, Acknowledgement>,
  all: readonly Acknowledgement[],
): Map<string, Acknowledgement> {
  const acknowledged = new Map(known)
  for (const each of all) {
    const alertId = alertIdOf(each.rule, each.address, each.lockId)
    acknowledged.delete(alertId)
    acknowledged.set(alertId, each)
  }
  for (const alertId of acknowledged.keys()) {
    if (acknowledged.size <= MOST_ACKNOWLEDGED) break
    acknowledged.delete(alertId)
  }
  return acknowledged
}
