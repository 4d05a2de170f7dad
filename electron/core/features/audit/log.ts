import type { AuditPage, AuditQuery, AuditVerdict } from '../../../../shared/audit.ts'
import type { Failure } from '../../../../shared/result.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { codeOf } from '../../files/disk.ts'
import { LockBusy } from '../../files/folder-lock.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { Facts, Note } from '../../lib/handler.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { atMost } from '../../lib/timers.ts'
import { clean } from './audited.ts'
import { readLog } from './read.ts'
import { verifyLog } from './verify.ts'
import { ChainWriter, type Fields, type WriterOptions } from './writer.ts'

/** A change that is recorded before it is applied, and again with its outcome. */
export type RecordedChange<T> = {
  readonly method: string
  readonly action: string
  /** A `write` changes a store; `settings` change what Lockkeeper itself does or keeps. */
  readonly effect: 'write' | 'settings'
  readonly facts: Facts
  /** Unless its intent can be recorded, it does not happen. True of every `write`. */
  readonly mustRecord: boolean
  apply(note: Note): Promise<T>
  outcome(value: T): Facts
}

/** Nothing is changed without a trace: the intent is on disk before the act, the outcome after it. */
export interface AuditLog {
  record<T>(change: RecordedChange<T>): Promise<T>
  /** All of them are on disk when it returns. Fails with AUDIT_FAILED. */
  append(entries: readonly AuditEntry[]): Promise<void>
}

/** The log for those who read it. Neither waits for writers or needs a folder that can be written to. */
export interface AuditBook extends AuditLog {
  read(query: AuditQuery, signal: AbortSignal): Promise<AuditPage>
  verify(signal: AbortSignal): Promise<AuditVerdict>
}

/**
 * `intent` and `outcome` stand around a call that changes something. Between them, for each lock: `acting` before it is
 * touched, `settled` when the answer is there. `dry-run` and `settings` change nothing in any store.
 */
export type AuditEntry = {
  readonly event: 'intent' | 'acting' | 'settled' | 'outcome' | 'dry-run' | 'settings'
  readonly action: string
} & Readonly<Record<string, unknown>>

/** The events before and after a change. */
const EVENTS = { write: ['intent', 'outcome'], settings: ['settings', 'settings'] } as const

/** How long a setting that need not be recorded waits for each of its lines: in an outage a store must open at once. */
const SETTINGS_MS = 1000

/** What is written after the act: the room for it was kept free before. */
const AFTERWARDS: readonly AuditEntry['event'][] = ['settled', 'outcome']

/** One JSON line an event, chained to the one before, flushed, harmless to print and without secrets. */
export function fileAudit(
  folder: string,
  redact: (message: string) => string,
  options: Partial<WriterOptions> = {},
): AuditBook {
  const writer = new ChainWriter(folder, whoIsHere(), options)
  const redacted = ({ code, message }: Failure) => ({ code, message: redact(message) })
  const write = (entries: readonly AuditEntry[]) =>
    writer.append(
      entries.map(entry => clean(entry, redact) as Fields),
      entries.some(({ event }) => !AFTERWARDS.includes(event)),
    )

  return {
    async append(entries) {
      if (entries.length === 0) return
      await write(entries).catch(error => {
        if (entries.some(({ event }) => AFTERWARDS.includes(event)))
          throw refusal(error, 'after the fact: what was done is not recorded', true)
        throw refusal(error, 'so nothing was changed')
      })
    },
    async record({ method, action, effect, facts, mustRecord, apply, outcome }) {
      const [before, after] = EVENTS[effect]
      // First in the line, and not to be changed by facts of the same name.
      const line = (event: AuditEntry['event'], more: Facts) => ({
        ...{ event, action, method },
        ...more,
        ...{ event, action, method },
      })
      const intent = write([line(before, facts)])
      if (!mustRecord) await atMost(SETTINGS_MS, intent)
      else
        await intent.catch(error => {
          throw refusal(error, 'so nothing was changed')
        })
      const note = (more: Facts) => write([line(after, { ...facts, ...more })]).catch(() => {})
      let applied: { readonly value: Awaited<ReturnType<typeof apply>> } | { readonly error: unknown }
      try {
        applied = { value: await apply(note) }
      } catch (error) {
        applied = { error }
      }
      const result =
        'value' in applied ? outcome(applied.value) : { error: redacted(toFailure(applied.error)) }
      // The facts of a setting are in both lines: each tells on its own what became of it.
      const last = effect === 'settings' ? { ...facts, ...result } : result
      const trace = write([line(after, last)])
      if (!mustRecord) await atMost(SETTINGS_MS, trace)
      else
        await trace.catch(error => {
          if (effect === 'write')
            throw refusal(error, `after the fact: what happened was ${safeJson(clean(result, redact))}`, true)
        })
      if ('error' in applied) throw applied.error
      return applied.value
    },
    read: (query, signal) => readLog(folder, query, signal),
    verify: signal => verifyLog(folder, signal),
  }
}

function refusal(error: unknown, what: string, uncertain = false): StoreError {
  const why = error instanceof LockBusy ? error.message : codeOf(error)
  return new StoreError('AUDIT_FAILED', `The audit log cannot be written (${why}), ${what}`, {
    cause: error,
    uncertain,
  })
}
