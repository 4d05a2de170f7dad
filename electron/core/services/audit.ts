import { mkdir, open } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Failure } from '../../../shared/result.ts'
import { safeJson } from '../../../shared/safe-text.ts'
import { StoreError, toFailure } from '../errors.ts'

/** Nothing is changed without a trace: the intent is on disk before the act, the outcome after it. */
export interface AuditLog {
  /** Runs a change between its two entries. When the intent cannot be written, the change does not happen. */
  around<T>(method: string, action: string, input: unknown, work: () => Promise<T>): Promise<T>
  /** All of them are on disk when it returns. Fails with AUDIT_FAILED. */
  append(entries: readonly AuditEntry[]): Promise<void>
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

/** One JSON line an event, appended and flushed, harmless to print and without secrets. `describe` adds what the ids in the input stand for. */
export function fileAudit(
  folder: string,
  describe: DescribeInput,
  redact: (message: string) => string,
): AuditLog {
  const file = join(folder, 'audit.jsonl')
  const who = { user: userName(), host: hostname(), pid: process.pid }

  const redacted = ({ code, message }: Failure) => ({ code, message: redact(message) })

  async function append(entry: Record<string, unknown>): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const handle = await open(file, 'a', 0o600)
    try {
      await handle.appendFile(`${safeJson({ at: new Date().toISOString(), ...who, ...entry })}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  return {
    async append(entries) {
      for (const entry of entries)
        await append(entry).catch(error => {
          throw refusal(error, 'so nothing was changed')
        })
    },
    async around(method, action, input, work) {
      await append({ event: 'intent', action, method, ...describe(input) }).catch(error => {
        throw refusal(error, 'so nothing was changed')
      })
      let settled: { ok: true; value: Awaited<ReturnType<typeof work>> } | { ok: false; error: unknown }
      try {
        settled = { ok: true, value: await work() }
      } catch (error) {
        settled = { ok: false, error }
      }
      const outcome = settled.ok ? summarise(settled.value) : { error: redacted(toFailure(settled.error)) }
      await append({ event: 'outcome', action, method, ...outcome }).catch(error => {
        throw refusal(error, `after the fact: what happened was ${safeJson(outcome)}`, true)
      })
      if (!settled.ok) throw settled.error
      return settled.value
    },
  }
}

function refusal(error: unknown, what: string, uncertain = false): StoreError {
  const code = (error as NodeJS.ErrnoException)?.code ?? 'unknown error'
  return new StoreError('AUDIT_FAILED', `The audit log cannot be written (${code}), ${what}`, {
    cause: error,
    uncertain,
  })
}

function summarise(value: unknown): Record<string, unknown> {
  const { outcome, current } = value as { outcome?: unknown; current?: { owner?: unknown } | null }
  return current ? { outcome, currentOwner: current.owner } : { outcome }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id that has no name.
    return `uid ${process.getuid?.() ?? '?'}`
  }
}
