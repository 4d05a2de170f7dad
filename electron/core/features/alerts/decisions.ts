import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  type Mute,
  type RuleBook,
  type RuleSettings,
  settingOf,
} from '../../../../shared/alerts.ts'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { toFailure } from '../../lib/errors.ts'
import { alertIdOf } from './condition.ts'
import { type Acknowledgement, type Decided, DecisionFile, NOTHING_DECIDED } from './decision-file.ts'
import { withChanges } from './rule-book.ts'

/** Beyond it the oldest are evicted, and their alerts count again. */
const MOST_ACKNOWLEDGED = 20_000
/** How soon a change by another console or an editor applies here. */
const LOOK_MS = 2000
/** Acknowledgements of ended alerts are removed from the file together, now and then. */
const CLEAR_MS = MINUTE_MS

type Edit = (decided: Decided) => Decided

export type DecisionsOptions = {
  readonly folder: string
  readonly writes: boolean
  readonly now: () => number
  /** Another console or an editor changed the file. */
  readonly changed: () => void
}

/**
 * What operators decided about alerts: rules, mutes and acknowledgements. Kept in `alerts.json` of the data folder; if it cannot be
 * written, decisions apply until the process ends.
 */
export class Decisions {
  readonly ready: Promise<void>
  readonly #file: DecisionFile
  readonly #options: DecisionsOptions
  /** What the file says, the edits it does not have yet, and both together. */
  #kept: Decided = NOTHING_DECIDED
  #edits: readonly Edit[] = []
  #decided: Decided = NOTHING_DECIDED
  #acknowledged = new Map<string, Acknowledgement>()
  /** Ended alerts, with when they were acknowledged. */
  readonly #over = new Map<string, number>()
  readonly #settings = new Map<string, RuleSettings>()
  #unread: string | null = null
  #unsound: string | null = null
  #unwritten: string | null = null
  readonly #fileQueue = new WorkQueue()
  #lookTimer: NodeJS.Timeout | undefined
  #clearTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: DecisionsOptions) {
    this.#options = options
    this.#file = new DecisionFile(options.folder)
    this.ready = this.#fileQueue
      .run(() => this.#read(options.writes))
      .then(() => {
        if (!this.#isClosed) this.#lookTimer = setInterval(() => void this.look(), LOOK_MS).unref()
      })
  }

  get book(): RuleBook {
    return this.#decided.book
  }

  /** Mutes that have not run out. */
  get mutes(): readonly Mute[] {
    return lasting(this.#decided.mutes, this.#options.now())
  }

  get problem(): string | null {
    return this.#unwritten ?? this.#unread ?? this.#unsound
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
    const known = this.#acknowledged.get(alertId)
    return known ? { by: known.by, at: known.at, reason: known.reason } : null
  }

  get acknowledged(): ReadonlyMap<string, Acknowledgement> {
    return this.#acknowledged
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

  /** The alerts have ended: the next ones with their ids are new. */
  forget(alertIds: readonly string[]): void {
    for (const alertId of alertIds) {
      const known = this.#acknowledged.get(alertId)
      if (known) this.#over.set(alertId, known.at)
      this.#acknowledged.delete(alertId)
    }
    if (this.#options.writes && this.#over.size > 0)
      this.#clearTimer ??= setTimeout(() => void this.#write(), CLEAR_MS).unref()
  }

  /** Takes in what others changed in the file. */
  async look(): Promise<void> {
    if (!(await this.#fileQueue.run(() => this.#read(false)))) return
    // Edits that could not be written before.
    if (this.#edits.length > 0) await this.#write()
    this.#options.changed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#lookTimer)
    if (this.#clearTimer || this.#edits.length > 0) await this.#write()
  }

  #decide(edit: Edit): Promise<void> {
    this.#edits = [...this.#edits, edit]
    this.#recompute()
    return this.#write()
  }

  #recompute(): void {
    this.#decided = this.#edited(this.#kept, this.#edits, this.#over)
    this.#acknowledged = new Map(this.#decided.acknowledged)
    this.#settings.clear()
  }

  #edited(kept: Decided, edits: readonly Edit[], over: ReadonlyMap<string, number>): Decided {
    const decided = edits.reduce((each, edit) => edit(each), kept)
    if (over.size === 0) return decided
    // An alert that was acknowledged again has begun again.
    const acknowledged = [...decided.acknowledged].filter(([alertId, { at }]) => over.get(alertId) !== at)
    return { ...decided, acknowledged: new Map(acknowledged) }
  }

  async #read(setAside: boolean): Promise<boolean> {
    const read = await this.#file.read({ setAside })
    if (read === null) return false
    this.#kept = read.decided
    this.#unread = read.notice
    this.#unsound = read.unsound
    this.#recompute()
    return true
  }

  /** Never fails: the list of alerts says what could not be written. */
  async #write(): Promise<void> {
    clearTimeout(this.#clearTimer)
    this.#clearTimer = undefined
    if (!this.#options.writes) return
    await this.#fileQueue.run(async () => {
      const edits = this.#edits
      const over = new Map(this.#over)
      try {
        const { decided, read } = await this.#file.edit(kept => {
          const edited = this.#edited(kept, edits, over)
          return { ...edited, mutes: lasting(edited.mutes, this.#options.now()) }
        })
        this.#kept = decided
        if (read) this.#unread = read.notice
        // Unsound rules are gone from the file now, except those that were read just now.
        this.#unsound = read?.unsound ?? null
        this.#edits = this.#edits.filter(edit => !edits.includes(edit))
        for (const [alertId, at] of over) if (this.#over.get(alertId) === at) this.#over.delete(alertId)
        this.#unwritten = null
        this.#recompute()
        if (read) this.#options.changed()
      } catch (error) {
        this.#unwritten = `${toFailure(error).message}; it applies until Lockkeeper exits.`
      }
    })
  }
}

function lasting(mutes: readonly Mute[], now: number): Mute[] {
  return mutes.filter(({ until }) => until === null || until > now)
}

function withThese(
  known: ReadonlyMap<string, Acknowledgement>,
  all: readonly Acknowledgement[],
): ReadonlyMap<string, Acknowledgement> {
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
