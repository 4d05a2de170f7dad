import type { AuditVerdict } from '../../../../shared/audit.ts'
import { isoTime } from '../../../../shared/lease.ts'
import {
  type AuditState,
  REPORT_SCHEMA,
  type ReportAction,
  type ReportFigures,
  type ReportHead,
  type ReportStore,
} from '../../../../shared/report-document.ts'
import type { Figures, StoreStats } from '../../../../shared/stats.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { type StoreError, throwIfAborted } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { TopList } from '../../lib/top-list.ts'
import { readLog } from '../audit/read.ts'
import { verifyLog } from '../audit/verify.ts'
import { NO_ACTIONS, readActions } from './actions.ts'
import { attentionOf, byUrgency, whyNeedy } from './attention.ts'
import { gatherAlerts } from './gather-alerts.ts'
import { fits } from './report-lock.ts'
import { SecretScanner } from './secret-scanner.ts'
import { nameOf, type ReportedStore, type ReportScope } from './sources.ts'
import { iso } from './words.ts'

/** More points of a chart cannot be distinguished on paper. */
const POINTS = 240
const MOST_ATTENTION = 200
const MOST_DAMAGES = 20

/**
 * Everything but the list of all locks, so the size does not depend on how many there are. A store that does not answer is included
 * as down, with its last known state. `fitting` is the number of locks that fit the filter.
 */
export async function gather(
  scope: ReportScope,
  signal: AbortSignal,
): Promise<{ readonly head: ReportHead; readonly fitting: number }> {
  const { sources, stores, request, from, to, now } = scope
  const { stats, dataFolder, histories } = sources
  const redact = (text: string) => sources.stores.redact(text)
  const storeIds = [...stores.keys()]
  const opened = [...stores.values()]
  const addresses = request.storeIds ? new Set(opened.map(({ open }) => open.store.address)) : null
  const alerts = gatherAlerts(sources.alerts, stores, scope)
  const attention: Parameters<typeof attentionOf>[1] = new TopList(MOST_ATTENTION, byUrgency)
  const actions = await settle(() =>
    readActions((query, s) => readLog(dataFolder, query, s), { from, to, addresses }, signal),
  )
  const { listed, released, locks, ...counts } = actions.ok ? actions.value : NO_ACTIONS
  const secrets = new SecretScanner([
    ...[request.filter, request.title, request.summary, ...alerts.reasons],
    ...listed.flatMap(writtenTexts),
  ])
  for (const lock of locks) {
    secrets.addHolder(lock)
    if (lock.fence !== null) secrets.addSecret(lock.fence)
  }
  let fitting = 0
  const addLock: Parameters<typeof stats.read>[2] = (storeId, lock, storeNow) => {
    const store = stores.get(storeId)
    secrets.addLock(lock)
    if (!store || !fits(scope.filter, store, lock, storeNow)) return
    fitting++
    const why = whyNeedy(lock, storeNow, alerts.locks.has(nameOf(storeId, lock.id)))
    if (why.length > 0) attention.add({ storeId, lock, now: storeNow, why })
  }
  const [read, history, descriptions, verdict] = await Promise.all([
    stats.read({ storeIds, since: from, until: to }, signal, addLock),
    stats.history({ storeIds, from, to, points: POINTS }),
    Promise.all(opened.map(({ open }) => settle(() => open.store.describe(open.signal)))),
    settle(() => verifyLog(dataFolder, signal)),
  ])
  throwIfAborted(signal)
  for (const storeId of storeIds)
    for (const tenure of histories.get(storeId)?.history.tenures.within(0, now) ?? [])
      secrets.addHolder(tenure)
  /** Passwords are never in a report; tokens and fences only on request. */
  const hide = (text: string) => (request.withTokens ? redact(text) : secrets.hide(redact(text)))
  const typed = (text: string | undefined) => (text?.trim() ? hide(text.trim()) : null)
  const nameOfStore = (storeId: string) => stores.get(storeId)?.name ?? storeId
  const { user, host } = whoIsHere()
  const head: ReportHead = {
    schema: REPORT_SCHEMA,
    tool: { name: 'Lockkeeper', version: sources.version },
    asked: {
      at: iso(now),
      by: { user, host },
      from: iso(from),
      to: iso(to),
      filter: typed(request.filter),
      title: typed(request.title),
      summary: typed(request.summary),
      withTokens: request.withTokens === true,
      lockLimit: request.lockLimit ?? null,
    },
    stores: read.stores.map((each, i) => {
      const answer = descriptions[i]
      return storeOf(each, opened[i] as ReportedStore, answer?.ok ? answer.value : null)
    }),
    figures: {
      overall: figuresOf(
        read.overall,
        stores.size === 0 || read.stores.some(({ asOf }) => asOf !== null),
        nameOfStore,
      ),
      stores: read.stores.map(each => ({
        store: nameOfStore(each.storeId),
        figures: figuresOf(each, each.asOf !== null, nameOfStore),
      })),
    },
    history: {
      from: iso(history.from),
      stepMs: history.stepMs,
      series: history.series.map(({ storeId, points }) => ({ store: nameOfStore(storeId), points })),
    },
    gaps: history.series.flatMap(({ storeId, gaps }) =>
      gaps.map(({ from: start, until, why, message }) => ({
        store: nameOfStore(storeId),
        from: iso(start),
        until: isoTime(until),
        why,
        message: message === null ? null : redact(message),
      })),
    ),
    attention: attentionOf(scope, attention, { alerted: alerts.locks, released }),
    alerts: alerts.section(hide),
    actions: {
      listed: listed.map(each => hidden(each, hide)),
      ...counts,
      audit: auditState(verdict, actions.ok ? null : actions.error),
    },
  }
  return { head, fitting }
}

function storeOf(
  stats: StoreStats,
  { open, name }: ReportedStore,
  description: { server: string; clock: { offsetMs: number | null; errorMs: number } } | null,
): ReportStore {
  const { address, kind, status, error, asOf, offsetMs, scanned, scanMs, spent } = stats
  return {
    ...{ name, address, kind, production: open.production },
    server: description?.server ?? null,
    status,
    error: error && { code: error.code, message: error.message },
    asOf: isoTime(asOf),
    clockOffsetMs: description?.clock.offsetMs ?? offsetMs,
    clockErrorMs: description?.clock.offsetMs == null ? null : description.clock.errorMs,
    ...{ scanned, scanMs, spent },
  }
}

/** A figure that was not read or observed is null, not zero. */
function figuresOf(
  figures: Figures,
  isRead: boolean,
  nameOfStore: (storeId: string) => string,
): ReportFigures {
  const { counts, active, total, byHolder, byFormat, byPrefix, byName, remaining, ...rest } = figures
  const { oldest, longest, flows, observedMs, tenureTimes } = rest
  const brief = ({ storeId, key, holder, since, exact }: NonNullable<Figures['oldest']>) => ({
    ...{ store: nameOfStore(storeId), key, holder, since: iso(since), exact },
  })
  return {
    ...(isRead ? { counts, active, total, byHolder, byFormat, byPrefix, byName, remaining } : NOT_READ),
    ...(observedMs > 0 ? { flows, holdTimes: tenureTimes } : { flows: null, holdTimes: null }),
    observedMs,
    oldest: oldest && brief(oldest),
    longest: longest && { ...brief(longest), until: iso(longest.until) },
  }
}

const NOT_READ = {
  ...{ counts: null, active: null, total: null, remaining: null },
  ...{ byHolder: null, byFormat: null, byPrefix: null, byName: null },
}

/** Whether the log can be relied on. `unread` is why its lines could not be read. */
function auditState(verdict: Settled<AuditVerdict>, unread: StoreError | null): AuditState {
  if (!verdict.ok || unread)
    return {
      ok: null,
      says: unread?.message ?? (verdict.ok ? '' : verdict.error.message),
      ...{ lines: 0, file: null, seq: null, hash: null, damages: [] },
    }
  const { ok, files, head, lines } = verdict.value
  const damages = files.flatMap(({ name, damages: found }) => found.map(each => ({ file: name, ...each })))
  const { says, file, seq, hash } = head
  return { ok, says, lines, file, seq, hash, damages: damages.slice(0, MOST_DAMAGES) }
}

/** The texts of an action that people wrote or servers answered. */
function writtenTexts({ reason, error, notDone }: ReportAction): (string | null)[] {
  return [reason, error?.message ?? null, ...notDone.map(({ message }) => message)]
}

function hidden(action: ReportAction, hide: (text: string) => string): ReportAction {
  const { error, reason, notDone } = action
  return {
    ...action,
    reason: reason === null ? null : hide(reason),
    error: error && { ...error, message: hide(error.message) },
    notDone: notDone.map(each => ({ ...each, message: each.message === null ? null : hide(each.message) })),
  }
}
