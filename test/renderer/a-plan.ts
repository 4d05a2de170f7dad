import { noResults, type PlanEntry, type PlanProgress, type PlanSummary } from '../../shared/plans.ts'

const NOW = 1_800_000_000_000

export function planEntry(n: number, change: Partial<PlanEntry> = {}): PlanEntry {
  return {
    n,
    store: 0,
    id: `lock:${n}`,
    key: `lock:${n}`,
    format: 'token',
    owner: `worker-${n}`,
    holder: null,
    state: 'held',
    endsAt: NOW + 60_000,
    heldSince: NOW - 3_600_000,
    observedAt: NOW,
    renewals: 0,
    alike: false,
    fence: `fence ${n}`,
    ...change,
  }
}

export function planSummary(
  count: number,
  change: Partial<PlanSummary> = {},
  progress: Partial<PlanProgress> = {},
): PlanSummary {
  const store = {
    name: 'cache',
    address: 'redis://cache',
    kind: 'redis',
    production: false,
    unread: [],
  } as const
  return {
    planId: 'p1',
    kind: 'release',
    createdAt: NOW,
    createdBy: { user: 'ana', host: 'laptop' },
    filter: '',
    watchedMs: 60_000,
    stores: [
      { ...store, unread: [] },
      { ...store, name: 'orders', unread: [] },
    ],
    count,
    left: 0,
    undoes: null,
    file: '/data/plans/p1.plan',
    maker: null,
    code: 'c0ffee',
    exclusions: [],
    exclusionsLeft: 0,
    undoUntil: null,
    ...change,
    progress: {
      state: 'ready',
      total: count,
      counts: { ...noResults(), pending: count },
      returned: null,
      perSecond: null,
      rate: null,
      leftMs: null,
      startedAt: null,
      endedAt: null,
      reason: null,
      troubles: [],
      ...progress,
    },
  }
}
