import type { AuditEvent } from '../../../../shared/audit.ts'
import type { Failure } from '../../../../shared/result.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { codeOf } from '../../files/disk.ts'
import { LockBusy } from '../../files/folder-lock.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { Facts, HandlersOf, SettingsChange } from '../../lib/handler.ts'
import { sudoUser, whoIsHere } from '../../lib/operator.ts'
import { atMost } from '../../lib/timers.ts'
import { clean } from './audited.ts'
import { readLog } from './read.ts'
import { verifyLog } from './verify.ts'
import { ChainWriter, type WriterOptions } from './writer.ts'

/** A change that is recorded before it is applied, and again with its outcome. */
type RecordedChange<T> = Required<SettingsChange<T>> & {
  readonly method: string
  readonly action: string
  /** A `write` changes a store; `settings` change Lockkeeper itself. */
  readonly effect: 'write' | 'settings'
}

/** Nothing is changed without a trace: the intent is on disk before the act, the outcome after it. */
export interface AuditLog {
  record<T>(change: RecordedChange<T>): Promise<T>
  /** Returns once all of them are on disk. Fails with AUDIT_FAILED. */
  append(entries: readonly AuditEntry[]): Promise<void>
}

/** The log itself writes the `chain` lines. */
export type AuditEntry = Facts & {
  readonly event: Exclude<AuditEvent, 'chain'>
  readonly action: string
}

/** The events before and after a change. */
const EVENTS = { write: ['intent', 'outcome'], settings: ['settings', 'settings'] } as const

/** How long a setting that may go unrecorded waits for each of its lines: in an outage, a store must open at once. */
const SETTINGS_MS = 1000

/** Written after the act, into space reserved before it. */
const AFTERWARDS: readonly AuditEntry['event'][] = ['settled', 'outcome']

/** One JSON line per event: chained to the line before, flushed, safe to print, and without secrets. */
export function fileAudit(
  folder: string,
  redact: (message: string) => string,
  options: Partial<WriterOptions> = {},
): AuditLog {
  const writer = new ChainWriter(folder, { ...whoIsHere(), ...sudoUser(process.env) }, options)
  const redacted = ({ code, message }: Failure) => ({ code, message: redact(message) })
  const write = (entries: readonly AuditEntry[]) =>
    writer.append(
      entries.map(entry => clean(entry, redact) as Facts),
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
      const line = (event: AuditEntry['event'], more: Facts | null) => {
        const names = { event, action, method }
        // First in the line, and facts cannot replace them.
        return { ...names, ...more, ...names }
      }
      const unlessRecorded = (written: Promise<void>, refuse: (error: unknown) => void) =>
        mustRecord ? written.catch(refuse) : atMost(SETTINGS_MS, written)
      await unlessRecorded(write([line(before, facts)]), error => {
        throw refusal(error, 'so nothing was changed')
      })
      const note = (more: Facts) => write([line(after, { ...facts, ...more })]).catch(() => {})
      const [applied] = await Promise.allSettled([(async () => apply(note))()])
      const result =
        applied.status === 'fulfilled'
          ? outcome(applied.value)
          : { error: redacted(toFailure(applied.reason)) }
      // Both lines of a setting have its facts, so that each can be read on its own.
      const last = effect === 'settings' ? { ...facts, ...result } : result
      await unlessRecorded(write([line(after, last)]), error => {
        if (effect === 'write')
          throw refusal(error, `after the fact: what happened was ${safeJson(clean(result, redact))}`, true)
      })
      if (applied.status === 'rejected') throw applied.reason
      return applied.value
    },
  }
}

/** Reading and verifying never wait for writers, and work in a read-only folder. */
export function auditHandlers(folder: string): HandlersOf<'audit'> {
  return {
    'audit.list': (query, { signal }) => readLog(folder, query, signal),
    'audit.verify': ({ head }, { signal }) => verifyLog(folder, signal, head),
  }
}

function refusal(error: unknown, what: string, uncertain = false): StoreError {
  const why = error instanceof LockBusy ? error.message : codeOf(error)
  return new StoreError('AUDIT_FAILED', `The audit log cannot be written (${why}), ${what}`, {
    cause: error,
    uncertain,
  })
}
