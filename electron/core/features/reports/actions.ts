import type { AuditPage, AuditQuery, AuditRow } from '../../../../shared/audit.ts'
import type { ReportAction } from '../../../../shared/report-document.ts'
import type { Hashed } from './said-secrets.ts'

/** One at a time, newest first. */
export type ReadAudit = (query: AuditQuery, signal: AbortSignal) => Promise<AuditPage>

const PAGE = 500
const MOST_ACTIONS = 1000
const MOST_NOT_DONE = 50
/** Of one action, locks whose stories say that they were released with it. */
const MOST_RELEASED = 10_000
/** An action that began before the window is looked for so far back, for why it was done. */
const PAGES_BACK = 40
/** What was wanted of a lock. `gone` was not there any more; a hold ran out when its time was over. */
const DONE = ['released', 'restored', 'gone', 'held', 'ran-out']

export type Actions = {
  readonly listed: ReportAction[]
  readonly more: number
  readonly elsewhere: number
  readonly unreadable: number
  /** What was released and when, as far as it is listed. */
  readonly released: readonly Released[]
  /** What the lines know of holders and fences, so that what people typed can be searched for them. */
  readonly holders: readonly Hashed[]
  readonly fences: ReadonlySet<string>
}

/** `store` is its address. */
type Released = { readonly store: string | null; readonly id: string; readonly at: number }

type Draft = {
  -readonly [K in keyof ReportAction]: ReportAction[K]
} & {
  readonly addresses: Set<string>
  readonly names: Set<string>
  /** Ids whose last answer is known. Lines are read from the newest on, and a second try comes after the first. */
  readonly settled: Set<string>
  readonly released: Released[]
  /** Counts that the log itself has are better than ours. */
  counted: boolean
  inWindow: boolean
  /** Its first line was read. */
  isWhole: boolean
}

/**
 * Reads the log backwards to the beginning of the window and makes one action of all its lines. An action belongs to the window
 * if any line of it does; what came of it is told even if that was later, and why it was done even if it began before.
 * `addresses` limits it to some stores.
 */
export async function readActions(
  read: ReadAudit,
  { from, to, addresses }: { from: number; to: number; addresses: ReadonlySet<string> | null },
  signal: AbortSignal,
): Promise<Actions> {
  const drafts = new Map<string, Draft>()
  const holders = new Map<string, Hashed>()
  const fences = new Set<string>()
  let unreadable = 0
  let before: string | null = null
  let pagesBack = 0
  for (let isOver = false; !isOver; ) {
    const page: AuditPage = await read({ limit: PAGE, ...(before === null ? {} : { before }) }, signal)
    let anyInTime = page.rows.length === 0
    for (const row of page.rows) {
      const at = Date.parse(row.at)
      const name = row.action ?? row.place
      const known = drafts.get(name)
      if (at >= from) anyInTime = true
      if (row.event === 'chain' || (at < from && known === undefined)) continue
      const draft = known ?? newDraft(name, row)
      drafts.set(name, draft)
      take(draft, row)
      for (const lock of locksOf(row)) {
        if (lock.ownerHash !== null) holders.set(`${lock.format} ${lock.ownerHash}`, lock)
        if (lock.fence !== null) fences.add(lock.fence)
      }
      if (at >= from && at <= to) draft.inWindow = true
    }
    // Only a whole page of older ones: a clock that was set back leaves single ones among newer ones.
    if (anyInTime) unreadable += page.unreadable
    else pagesBack++
    const isMissing =
      pagesBack < PAGES_BACK && [...drafts.values()].some(each => each.inWindow && !each.isWhole)
    isOver = page.next === null || (!anyInTime && !isMissing)
    before = page.next
  }
  const all = [...drafts.values()].filter(draft => draft.inWindow)
  const here = all.filter(draft => isHere(draft, addresses))
  const shown = here.slice(0, MOST_ACTIONS)
  return {
    listed: shown.map(actionOf),
    more: here.length - shown.length,
    elsewhere: all.length - here.length,
    unreadable,
    released: shown.flatMap(draft => draft.released),
    holders: [...holders.values()],
    fences,
  }
}

function isHere(draft: Draft, addresses: ReadonlySet<string> | null): boolean {
  if (addresses === null || draft.addresses.size === 0) return true
  return [...draft.addresses].some(address => addresses.has(address))
}

function newDraft(action: string, { at, user, host }: AuditRow): Draft {
  return {
    ...{ action, at, until: at, user, host, method: null, stores: [], plan: null, key: null, reason: null },
    ...{ outcome: null, error: null, counts: {}, notDone: [], moreNotDone: 0 },
    ...{ addresses: new Set(), names: new Set(), settled: new Set(), released: [] },
    ...{ counted: false, inWindow: false, isWhole: false },
  }
}

/** Rows come newest first, so that what is there already is later than what comes. */
function take(draft: Draft, row: AuditRow): void {
  draft.at = row.at
  draft.method ??= row.method
  draft.plan ??= row.plan
  draft.reason ??= row.reason
  // Between its two lines there are those of its locks; anything else is told in one line, or in two of a kind.
  if (!['acting', 'settled', 'outcome'].includes(row.event)) draft.isWhole = true
  for (const address of addressesOf(row)) draft.addresses.add(address)
  for (const name of namesOf(row)) draft.names.add(name)
  switch (row.event) {
    case 'outcome':
    case 'settings':
    case 'dry-run': {
      draft.outcome ??= row.error?.code ?? row.outcome ?? (row.event === 'dry-run' ? 'plan made' : null)
      draft.error ??= row.error
      const counts = countsOf(row.entry['counts'])
      if (counts !== null && !draft.counted) {
        draft.counts = counts
        draft.counted = true
      }
      break
    }
    case 'settled':
      settle(draft, row)
      break
    case 'acting':
      draft.key ??= row.key
      if (row.plan === null && draft.outcome === 'released') note(draft, row)
      break
    default:
      draft.key ??= row.key
  }
}

function settle(draft: Draft, row: AuditRow): void {
  const id = idOf(row) ?? row.key ?? row.place
  const outcome = row.outcome ?? 'unknown'
  // That it came back is said of a lock besides what its release came to.
  if (outcome !== 'came-back') {
    if (draft.settled.has(id)) return
    draft.settled.add(id)
  }
  if (!draft.counted || outcome === 'came-back') draft.counts[outcome] = (draft.counts[outcome] ?? 0) + 1
  if (outcome === 'released') note(draft, row)
  if (DONE.includes(outcome)) return
  if (draft.notDone.length >= MOST_NOT_DONE) draft.moreNotDone++
  else draft.notDone.push({ key: row.key ?? id, outcome, message: row.error?.message ?? null })
}

function note(draft: Draft, row: AuditRow): void {
  const id = idOf(row)
  if (id !== null && draft.released.length < MOST_RELEASED)
    draft.released.push({ store: row.store, id, at: Date.parse(row.at) })
}

/** Locks as the log describes them: the one that was touched, and the one that was there instead. */
function locksOf({ entry }: AuditRow): (Hashed & { readonly fence: string | null })[] {
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

/** A plan that is made names several stores in one line. */
function planned({ entry }: AuditRow): { address?: unknown; name?: unknown }[] {
  const { stores } = entry
  return Array.isArray(stores) ? stores.filter(each => typeof each === 'object' && each !== null) : []
}

function addressesOf(row: AuditRow): string[] {
  const all = [row.store, ...planned(row).map(each => each.address)]
  return all.filter(each => typeof each === 'string')
}

function namesOf(row: AuditRow): string[] {
  const all = [row.storeName ?? row.store, ...planned(row).map(each => each.name ?? each.address)]
  return all.filter(each => typeof each === 'string')
}

function countsOf(value: unknown): Record<string, number> | null {
  if (typeof value !== 'object' || value === null) return null
  const counts = Object.entries(value).filter(([, n]) => typeof n === 'number' && n > 0)
  return counts.length === 0 ? null : Object.fromEntries(counts)
}

function actionOf(draft: Draft): ReportAction {
  const { action, at, until, user, host, method, plan, key, reason, outcome, error, ...rest } = draft
  return {
    ...{ action, at, until, user, host, method, stores: [...rest.names], plan, key, reason, outcome, error },
    ...{ counts: rest.counts, notDone: rest.notDone, moreNotDone: rest.moreNotDone },
  }
}
