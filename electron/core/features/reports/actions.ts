import type { AuditPage, AuditQuery, AuditRow } from '../../../../shared/audit.ts'
import { groupBy } from '../../../../shared/group-by.ts'
import type { ReportAction } from '../../../../shared/report-document.ts'
import type { HashedHolder } from './secret-scanner.ts'
import { nameOf } from './sources.ts'

const PAGE = 500
const MOST_ACTIONS = 1000
const MOST_NOT_DONE = 50
/** Locks of one action whose histories mention the release. */
const MOST_RELEASED = 10_000
/** How far before the window to look for the beginning of an action, which has its reason. */
const PAGES_BACK = 40
/** Outcomes that the operator wanted. `gone` was free already; a hold `ran-out` at its planned end. */
const DONE = ['released', 'restored', 'gone', 'held', 'ran-out']

/**
 * Reads the log backwards to the beginning of the window, and joins the lines of each action. An action belongs to the window if
 * any of its lines does: its outcome is reported even if it came later, and its reason even if it began before. `addresses` limits
 * the actions to some stores.
 */
export async function readActions(
  read: (query: AuditQuery, signal: AbortSignal) => Promise<AuditPage>,
  { from, to, addresses }: { from: number; to: number; addresses: ReadonlySet<string> | null },
  signal: AbortSignal,
) {
  const drafts = new Map<string, Draft>()
  const locks: LoggedLock[] = []
  let unreadable = 0
  let before: string | null = null
  let pagesBack = 0
  for (let isOver = false; !isOver; ) {
    const page: AuditPage = await read({ limit: PAGE, ...(before === null ? {} : { before }) }, signal)
    let isInTime = page.rows.length === 0
    for (const row of page.rows) {
      const at = Date.parse(row.at)
      const name = row.action ?? row.place
      const known = drafts.get(name)
      if (at >= from) isInTime = true
      if (row.event === 'chain' || (at < from && known === undefined)) continue
      const draft = known ?? newDraft(name, row)
      drafts.set(name, draft)
      addRow(draft, row)
      locks.push(...locksOf(row))
      if (at >= from && at <= to) draft.isInWindow = true
    }
    // A whole page of older lines: a clock that was set back leaves single ones among newer ones.
    if (isInTime) unreadable += page.unreadable
    else pagesBack++
    const isIncomplete = [...drafts.values()].some(({ isInWindow, isWhole }) => isInWindow && !isWhole)
    isOver = page.next === null || (!isInTime && !(isIncomplete && pagesBack < PAGES_BACK))
    before = page.next
  }
  const all = [...drafts.values()].filter(draft => draft.isInWindow)
  const here = all.filter(draft => isAbout(draft, addresses))
  const shown = here.slice(0, MOST_ACTIONS)
  return {
    listed: shown.map(({ facts, names }) => ({ ...facts, stores: [...names] })),
    more: here.length - shown.length,
    elsewhere: all.length - here.length,
    unreadable,
    /** Releases by the listed actions, by the `nameOf` of the store's address and the lock. */
    released: groupBy(
      shown.flatMap(draft => draft.released),
      ({ name }) => name,
    ),
    /** To find their holders and fences in what people typed. */
    locks,
  }
}

export const NO_ACTIONS: Awaited<ReturnType<typeof readActions>> = {
  ...{ listed: [], more: 0, elsewhere: 0, unreadable: 0, released: new Map(), locks: [] },
}

function isAbout(draft: Draft, addresses: ReadonlySet<string> | null): boolean {
  if (addresses === null || draft.addresses.size === 0) return true
  return [...draft.addresses].some(address => addresses.has(address))
}

type Draft = ReturnType<typeof newDraft>

function newDraft(action: string, { at, user, host }: AuditRow) {
  const facts: ReportAction = {
    ...{ action, at, until: at, user, host, method: null, stores: [], plan: null, key: null, reason: null },
    ...{ outcome: null, error: null, counts: {}, notDone: [], moreNotDone: 0 },
  }
  return {
    facts,
    addresses: new Set<string>(),
    names: new Set<string>(),
    /** Ids of locks whose last outcome is known: lines come newest first, so a second try comes before the first. */
    settled: new Set<string>(),
    released: [] as { name: string; at: number }[],
    /** The log's own counts, which replace those of its lines, were read. */
    isCounted: false,
    isInWindow: false,
    /** Its first line was read. */
    isWhole: false,
  }
}

/** Rows come newest first: what the draft has already is later than the row. */
function addRow(draft: Draft, row: AuditRow): void {
  const { facts } = draft
  facts.at = row.at
  facts.method ??= row.method
  facts.plan ??= row.plan
  facts.reason ??= row.reason
  // An action of a plan is about its locks, and not about one of them.
  if (facts.plan !== null) facts.key = null
  else if (!['outcome', 'settings', 'dry-run', 'settled'].includes(row.event)) facts.key ??= row.key
  // Lines about locks lie between the first and the last line of an action; other actions are one line, or two of a kind.
  if (!['acting', 'settled', 'outcome'].includes(row.event)) draft.isWhole = true
  for (const { address, name } of storesOf(row)) {
    if (typeof address === 'string') draft.addresses.add(address)
    const shown = name ?? address
    if (typeof shown === 'string') draft.names.add(shown)
  }
  if (row.event === 'settled') addLock(draft, row)
  else if (['outcome', 'settings', 'dry-run'].includes(row.event)) addOutcome(draft, row)
  else if (row.event === 'acting' && row.plan === null && facts.outcome === 'released')
    addReleased(draft, row)
}

function addOutcome(draft: Draft, { event, outcome, error, entry }: AuditRow): void {
  const { facts } = draft
  facts.outcome ??= error?.code ?? outcome ?? (event === 'dry-run' ? 'plan made' : null)
  facts.error ??= error
  const counts = countsOf(entry['counts'])
  if (counts === null || draft.isCounted) return
  facts.counts = counts
  draft.isCounted = true
}

function addLock(draft: Draft, row: AuditRow): void {
  const { facts, settled } = draft
  const id = idOf(row) ?? row.key ?? row.place
  const outcome = row.outcome ?? 'unknown'
  // A lock comes back after its release was settled: both are counted.
  if (outcome !== 'came-back') {
    if (settled.has(id)) return
    settled.add(id)
  }
  if (!draft.isCounted || outcome === 'came-back') facts.counts[outcome] = (facts.counts[outcome] ?? 0) + 1
  if (outcome === 'released') addReleased(draft, row)
  if (DONE.includes(outcome)) return
  if (facts.notDone.length >= MOST_NOT_DONE) facts.moreNotDone++
  else facts.notDone.push({ key: row.key ?? id, outcome, message: row.error?.message ?? null })
}

function addReleased({ released }: Draft, row: AuditRow): void {
  const id = idOf(row)
  if (id !== null && released.length < MOST_RELEASED)
    released.push({ name: nameOf(row.store ?? '', id), at: Date.parse(row.at) })
}

type LoggedLock = HashedHolder & { readonly fence: string | null }

/** Locks as the log describes them: the one that was acted on, and the one that was found instead. */
function locksOf({ entry }: AuditRow): LoggedLock[] {
  return [entry, entry['lock'], entry['current']].flatMap(each => {
    if (typeof each !== 'object' || each === null) return []
    const { format, ownerHash, fence } = each as Record<string, unknown>
    return {
      format: typeof format === 'string' ? format : '',
      ownerHash: typeof ownerHash === 'string' ? ownerHash : null,
      fence: typeof fence === 'string' ? fence : null,
    }
  })
}

function idOf({ entry }: AuditRow): string | null {
  const { id, lock } = entry as { id?: unknown; lock?: { id?: unknown } | null }
  const found = lock?.id ?? id
  return typeof found === 'string' ? found : null
}

/** The line of a new plan names several stores. */
function storesOf({ store, storeName, entry }: AuditRow): { address?: unknown; name?: unknown }[] {
  const { stores } = entry
  const planned = Array.isArray(stores)
    ? stores.filter(each => typeof each === 'object' && each !== null)
    : []
  return [{ address: store, name: storeName }, ...planned]
}

function countsOf(value: unknown): Record<string, number> | null {
  if (typeof value !== 'object' || value === null) return null
  const counts = Object.entries(value).filter(([, n]) => typeof n === 'number' && n > 0)
  return counts.length === 0 ? null : Object.fromEntries(counts)
}
