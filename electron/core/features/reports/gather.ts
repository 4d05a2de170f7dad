import type { Filter } from '../../../../shared/filter.ts'
import {
  REPORT_SCHEMA,
  type ReportAction,
  type ReportFigures,
  type ReportHead,
  type ReportStore,
} from '../../../../shared/report-document.ts'
import type { ReportRequest } from '../../../../shared/reports.ts'
import type { Figures, History, StoreStats } from '../../../../shared/stats.ts'
import { settle } from '../../lib/concurrency.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { type Actions, readActions } from './actions.ts'
import { Attention, nameOf } from './attention.ts'
import { gatherAlerts } from './gather-alerts.ts'
import { auditState } from './gather-audit.ts'
import { gatherLocks } from './gather-locks.ts'
import { iso } from './iso.ts'
import { fits } from './listed-locks.ts'
import { SaidSecrets } from './said-secrets.ts'
import type { AskedStore, ReportSources, Window } from './sources.ts'

/** Points of a chart: as many as can be told apart on paper. */
const POINTS = 240
const MOST_ATTENTION = 200

export type Gathered = {
  readonly head: ReportHead
  /** Locks that fit the filter, by the look that was taken for the figures. */
  readonly fitting: number
  /** Stores of which nothing could be read, and why. */
  readonly unread: ReadonlyMap<string, string>
}

/**
 * Everything but the list of all locks: of a size that does not depend on how many there are. A store that does not answer is in
 * it as such, with what was seen of it before.
 */
export async function gather(
  sources: ReportSources,
  stores: readonly AskedStore[],
  { from, to, now }: Window,
  request: ReportRequest,
  filter: Filter,
  signal: AbortSignal,
): Promise<Gathered> {
  const { stats, audit, redact } = sources
  const storeIds = stores.map(({ open }) => open.storeId)
  const byId = new Map(stores.map(each => [each.open.storeId, each]))
  const addresses = request.storeIds ? new Set(stores.map(({ open }) => open.store.address)) : null
  const alerts = gatherAlerts(sources.alerts, byId, { from, to })
  const attention = new Attention(MOST_ATTENTION, alerts.locks)
  const actions = await settle(() =>
    readActions((query, s) => audit.read(query, s), { from, to, addresses }, signal),
  )
  const { listed, more, elsewhere, unreadable, released, holders, fences } = actions.ok
    ? actions.value
    : NO_ACTIONS
  const secrets = new SaidSecrets([
    ...[request.filter, request.title, request.summary, ...alerts.reasons],
    ...listed.flatMap(saidIn),
  ])
  for (const fence of fences) secrets.seeFence(fence)
  for (const holder of holders) secrets.seeHash(holder)
  let fitting = 0
  const see: Parameters<typeof stats.read>[2] = (storeId, lock, storeNow) => {
    const asked = byId.get(storeId)
    secrets.see(lock)
    if (!asked || !fits(filter, asked, lock, storeNow)) return
    fitting++
    attention.see(storeId, lock, storeNow)
  }
  const [read, history, descriptions, verdict] = await Promise.all([
    stats.read({ storeIds, since: from, until: to }, signal, see),
    stats.history({ storeIds, from, to, points: POINTS }),
    Promise.all(stores.map(({ open }) => settle(() => open.store.describe(open.signal)))),
    settle(() => audit.verify(signal)),
  ])
  throwIfAborted(signal)
  for (const storeId of storeIds)
    for (const hold of sources.histories.get(storeId)?.history.tenures.within(0, now) ?? [])
      secrets.seeHash(hold)
  /** Passwords never are in a report; tokens and fences where they were asked for. */
  const hide = (text: string) => (request.withTokens ? redact(text) : secrets.hide(redact(text)))
  const nameOfStore = (storeId: string) => byId.get(storeId)?.name ?? storeId
  const spoken = (text: string | undefined) => (text?.trim() ? hide(text.trim()) : null)
  const known = { alerted: alerts.locks, released: releasesOf(released, stores) }
  const window = { from, to, now }
  const attended = gatherLocks(sources, byId, attention.result(), known, window, { filter, request })
  const { user, host } = whoIsHere()
  const head: ReportHead = {
    schema: REPORT_SCHEMA,
    tool: { name: 'Lockkeeper', version: sources.version },
    asked: {
      ...{ at: iso(now), by: { user, host }, from: iso(from), to: iso(to) },
      filter: spoken(request.filter),
      title: spoken(request.title),
      summary: spoken(request.summary),
      withTokens: request.withTokens === true,
      lockLimit: request.lockLimit ?? null,
    },
    stores: read.stores.map((each, i) => {
      const answer = descriptions[i]
      return storeOf(each, stores[i] as AskedStore, answer?.ok ? answer.value : null)
    }),
    figures: {
      overall: figuresOf(
        read.overall,
        stores.length === 0 || read.stores.some(({ asOf }) => asOf !== null),
        nameOfStore,
      ),
      stores: read.stores.map(each => ({
        store: nameOfStore(each.storeId),
        figures: figuresOf(each, each.asOf !== null, nameOfStore),
      })),
    },
    history: historyOf(history, nameOfStore),
    gaps: history.series.flatMap(({ storeId, gaps }) =>
      gaps.map(({ from: start, until, why, message }) => ({
        store: nameOfStore(storeId),
        from: iso(start),
        until: until === null ? null : iso(until),
        why,
        message: message === null ? null : redact(message),
      })),
    ),
    attention: attended,
    alerts: alerts.tell(hide),
    actions: {
      ...{ listed: listed.map(each => hidden(each, hide)), more, elsewhere, unreadable },
      audit: auditState(verdict, actions.ok ? null : actions.error),
    },
  }
  const unread = new Map(
    head.stores.flatMap(({ name, status, error }) =>
      error !== null && status === 'down' ? [[name, error.message] as const] : [],
    ),
  )
  return { head, fitting, unread }
}

const NO_ACTIONS: Actions = {
  ...{ listed: [], more: 0, elsewhere: 0, unreadable: 0, released: [], holders: [], fences: new Set() },
}

/** When locks were released, by what `nameOf` calls them: the log knows stores by their addresses. */
function releasesOf(
  released: Actions['released'],
  stores: readonly AskedStore[],
): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>()
  for (const { store, id, at } of released)
    for (const { open } of stores) {
      if (open.store.address !== store) continue
      const name = nameOf(open.storeId, id)
      times.set(name, [...(times.get(name) ?? []), at])
    }
  return times
}

function storeOf(
  stats: StoreStats,
  { open, name }: AskedStore,
  description: { server: string; clock: { offsetMs: number | null; errorMs: number } } | null,
): ReportStore {
  const { address, kind, status, error, asOf, offsetMs, scanned, scanMs, spent } = stats
  return {
    ...{ name, address, kind, production: open.production },
    server: description?.server ?? null,
    status,
    error: error && { code: error.code, message: error.message },
    asOf: asOf === null ? null : iso(asOf),
    clockOffsetMs: description?.clock.offsetMs ?? offsetMs,
    clockErrorMs: description?.clock.offsetMs == null ? null : description.clock.errorMs,
    ...{ scanned, scanMs, spent },
  }
}

/** What nobody could read or saw is null, and not zero. */
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
    ...(observedMs > 0 ? { flows, tenureTimes } : { flows: null, tenureTimes: null }),
    observedMs,
    oldest: oldest && brief(oldest),
    longest: longest && { ...brief(longest), until: iso(longest.until) },
  }
}

const NOT_READ = {
  ...{ counts: null, active: null, total: null, remaining: null },
  ...{ byHolder: null, byFormat: null, byPrefix: null, byName: null },
}

function historyOf(
  { from, stepMs, series }: History,
  nameOfStore: (storeId: string) => string,
): ReportHead['history'] {
  return {
    ...{ from: iso(from), stepMs },
    series: series.map(({ storeId, points }) => ({ store: nameOfStore(storeId), points })),
  }
}

/** Texts of an action that people wrote, or that servers said. */
function saidIn({ reason, error, notDone }: ReportAction): (string | null)[] {
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
