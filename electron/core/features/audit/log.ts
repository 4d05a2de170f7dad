import type { AuditPage, AuditQuery, AuditVerdict } from '../../../../shared/audit.ts'
import { type MaintenanceHold, maintenanceHoldSchema } from '../../../../shared/holds.ts'
import { isoTime } from '../../../../shared/lease.ts'
import type { Failure } from '../../../../shared/result.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { codeOf } from '../../files/disk.ts'
import { LockBusy } from '../../files/folder-lock.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { clean } from './audited.ts'
import { readLog } from './read.ts'
import { verifyLog } from './verify.ts'
import { ChainWriter, type Fields, type WriterOptions } from './writer.ts'

/** Nothing is changed without a trace: the intent is on disk before the act, the outcome after it. */
export interface AuditLog {
  /** Runs a change between its two entries. When the intent cannot be written, the change does not happen. */
  around<T>(method: string, action: string, input: unknown, work: () => Promise<T>): Promise<T>
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

export type DescribeInput = (input: unknown) => Record<string, unknown>

/** What is written after the act: the room for it was kept free before. */
const AFTERWARDS: readonly AuditEntry['event'][] = ['settled', 'outcome']

/**
 * One JSON line an event, chained to the one before, flushed, harmless to print and without secrets. `describe` adds what the
 * ids in the input stand for.
 */
export function fileAudit(
  folder: string,
  describe: DescribeInput,
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
    async around(method, action, input, work) {
      await write([{ ...describe(input), event: 'intent', action, method }]).catch(error => {
        throw refusal(error, 'so nothing was changed')
      })
      let settled: { ok: true; value: Awaited<ReturnType<typeof work>> } | { ok: false; error: unknown }
      try {
        settled = { ok: true, value: await work() }
      } catch (error) {
        settled = { ok: false, error }
      }
      const outcome = settled.ok
        ? summarise(method, settled.value)
        : { error: redacted(toFailure(settled.error)) }
      await write([{ event: 'outcome', action, method, ...outcome }]).catch(error => {
        throw refusal(error, `after the fact: what happened was ${safeJson(clean(outcome, redact))}`, true)
      })
      if (!settled.ok) throw settled.error
      return settled.value
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

/** What came of it, and which lock was there instead. The rest of an answer is not the log's. */
function summarise(method: string, value: unknown): Record<string, unknown> {
  const { outcome, current, planId, hold = value } = (value ?? {}) as Record<string, unknown>
  if (planId !== undefined) return { outcome: 'begun', plan: planId }
  const known = maintenanceHoldSchema.safeParse(hold)
  if (known.success) return holdOutcome(method, known.data)
  return current ? { outcome, current } : { outcome }
}

function holdOutcome(method: string, { holdId, state, until, ended }: MaintenanceHold) {
  const outcome = ended?.how ?? (method === 'holds.extend' ? 'extended' : state)
  return { outcome, hold: holdId, ...(until === null ? {} : { until: isoTime(until) }) }
}
