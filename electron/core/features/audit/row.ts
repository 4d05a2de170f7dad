import { z } from 'zod'
import { type AuditRow, auditEventSchema } from '../../../../shared/audit.ts'
import { fileName } from './files.ts'

const text = z.string().nullable().catch(null)
const failure = z.object({ code: z.string(), message: z.string() })

/** A line of a file that anybody may have edited: what is not as it should be is null, or the line is no entry. */
const rowLineSchema = z.looseObject({
  seq: z.number(),
  at: z.string(),
  user: z.string(),
  host: z.string(),
  pid: z.number().nullable().catch(null),
  event: auditEventSchema,
  serverAt: text,
  action: text,
  method: text,
  store: text,
  storeName: text,
  plan: text,
  planId: text,
  key: text,
  id: text,
  reason: text,
  because: text,
  outcome: text,
  lock: z.looseObject({ key: text }).nullable().catch(null),
  result: z
    .looseObject({ is: text, error: failure.nullable().catch(null) })
    .nullable()
    .catch(null),
  error: failure.nullable().catch(null),
})

/** Methods that had another name in earlier versions, by the start of it. */
const FORMER_NAMES: readonly (readonly [former: string, now: string])[] = [['switches.', 'switch.']]

function currentName(method: string | null): string | null {
  const renamed = FORMER_NAMES.find(([former]) => method?.startsWith(former))
  return method === null || !renamed ? method : renamed[1] + method.slice(renamed[0].length)
}

/** Null for a line that is no entry. */
export function rowOf(entry: unknown, file: number, start: number): AuditRow | null {
  const parsed = rowLineSchema.safeParse(entry)
  if (!parsed.success) return null
  const { seq, at, serverAt, user, host, pid, event, action, method, store, storeName, ...rest } = parsed.data
  return {
    place: placeOf(file, start),
    file: fileName(file),
    ...{ seq, at, serverAt, user, host, pid, event, action, store, storeName },
    method: currentName(method),
    plan: rest.plan ?? rest.planId,
    key: rest.lock?.key ?? rest.key ?? rest.id,
    reason: rest.reason ?? rest.because,
    outcome: rest.outcome ?? rest.result?.is ?? null,
    error: rest.error ?? rest.result?.error ?? null,
    entry: entry as Record<string, unknown>,
  }
}

export function placeOf(file: number, start: number): string {
  return `${String(file).padStart(6, '0')}:${start}`
}
