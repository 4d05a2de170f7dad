import { z } from 'zod'
import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  alertRuleSchema,
  type Mute,
  muteSchema,
  type RuleBook,
  ruleBookSchema,
  settingOf,
} from '../../../../shared/alerts.ts'
import { toFailure } from '../../errors.ts'
import { KeptFile } from '../kept-file.ts'
import type { Settings } from './check-lock.ts'
import { alertIdOf } from './tracked.ts'

/** Which alert it is about, in words that outlast the run. */
const acknowledgedSchema = z.object({
  rule: alertRuleSchema,
  address: z.string(),
  lockId: z.string().nullable(),
  by: z.string(),
  at: z.number(),
  reason: z.string(),
})
export type Acknowledged = z.infer<typeof acknowledgedSchema>

const keptSchema = z.object({
  version: z.literal(1),
  book: ruleBookSchema,
  mutes: z.array(muteSchema),
  acknowledged: z.array(acknowledgedSchema),
})

/** Beyond it the oldest are forgotten, and their alerts count again. */
const MOST_ACKNOWLEDGED = 20_000

/**
 * What operators decided about alerts: the rules, what is silent, and what is known already. Kept in `alerts.json` of the data
 * folder; when that cannot be written they hold all the same, until the process ends.
 */
export class Decisions {
  readonly ready: Promise<void>
  readonly #file: KeptFile<z.infer<typeof keptSchema>>
  readonly #writes: boolean
  readonly #now: () => number
  #book: RuleBook = { all: {}, stores: {}, notify: true }
  #mutes: Mute[] = []
  readonly #acknowledged = new Map<string, Acknowledged>()
  readonly #settings = new Map<string, Settings>()
  #unread: string | null = null
  #unwritten: string | null = null

  constructor(options: { readonly folder: string; readonly writes: boolean; readonly now: () => number }) {
    this.#writes = options.writes
    this.#now = options.now
    this.#file = new KeptFile({
      folder: options.folder,
      name: 'alerts',
      what: 'What was decided about alerts',
      schema: keptSchema,
    })
    this.ready = this.#load()
  }

  get book(): RuleBook {
    return this.#book
  }

  /** Those that have not run out. */
  get mutes(): readonly Mute[] {
    const now = this.#now()
    return this.#mutes.filter(({ until }) => until === null || until > now)
  }

  get problem(): string | null {
    return this.#unwritten ?? this.#unread
  }

  settingsOf(address: string): Settings {
    const known = this.#settings.get(address)
    if (known) return known
    const settings = Object.fromEntries(
      ALERT_RULES.map(rule => [rule, settingOf(this.#book, rule, address)]),
    ) as Settings
    this.#settings.set(address, settings)
    return settings
  }

  /** Which mute silences a lock, by one rule in one store. Null for the alert of the store as a whole. */
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

  get acknowledged(): ReadonlyMap<string, Acknowledged> {
    return this.#acknowledged
  }

  decide(book: RuleBook): Promise<void> {
    this.#book = book
    this.#settings.clear()
    return this.#keep()
  }

  mute(mute: Mute): Promise<void> {
    this.#mutes = [...this.mutes, mute]
    return this.#keep()
  }

  unmute(muteId: string): Promise<void> {
    this.#mutes = this.mutes.filter(mute => mute.muteId !== muteId)
    return this.#keep()
  }

  acknowledge(all: readonly Acknowledged[]): Promise<void> {
    for (const each of all) this.#remember(each)
    return this.#keep()
  }

  /** The alerts are over: the next ones of their kind are new. */
  forget(alertIds: readonly string[]): void {
    for (const alertId of alertIds) this.#acknowledged.delete(alertId)
    void this.#keep()
  }

  #remember(each: Acknowledged): void {
    const alertId = alertIdOf(each.rule, each.address, each.lockId)
    this.#acknowledged.delete(alertId)
    this.#acknowledged.set(alertId, each)
    const [oldest] = this.#acknowledged.keys()
    if (this.#acknowledged.size > MOST_ACKNOWLEDGED && oldest !== undefined) this.#acknowledged.delete(oldest)
  }

  async #load(): Promise<void> {
    const { value, notice } = await this.#file.read({ setAside: this.#writes })
    this.#unread = notice
    if (!value) return
    this.#book = value.book
    this.#settings.clear()
    this.#mutes = value.mutes
    for (const each of value.acknowledged) this.#remember(each)
  }

  /** Never fails: what could not be written is said where the alerts are. */
  async #keep(): Promise<void> {
    if (!this.#writes) return
    const kept = {
      version: 1 as const,
      book: this.#book,
      mutes: [...this.mutes],
      acknowledged: [...this.#acknowledged.values()],
    }
    try {
      await this.#file.write(kept)
      this.#unwritten = null
    } catch (error) {
      this.#unwritten = `${toFailure(error).message}; it holds until Lockkeeper ends.`
    }
  }
}
