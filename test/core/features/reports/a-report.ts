import type { AttentionLock, ReportHead, ReportLock } from '../../../../shared/report-document.ts'
import type { Figures, Point } from '../../../../shared/stats.ts'
import { TIME_EDGES } from '../../../../shared/stats.ts'

const FROM = Date.parse('2026-10-02T12:00:00Z')
const MINUTE = 60_000
const STEP = 30_000

export const at = (minutes: number) => new Date(FROM + minutes * MINUTE).toISOString()

/** An incident of two hours: locks pile up, the store is down for a while, somebody releases what was stuck. */
export function aReport(change: Partial<ReportHead> = {}): ReportHead {
  return {
    schema: 'lockkeeper.report/1',
    tool: { name: 'Lockkeeper', version: '0.1.0' },
    asked: {
      ...{ at: at(125), by: { user: 'ana', host: 'ops-1' }, from: at(0), to: at(120) },
      ...{
        filter: 'pipeline -store:test',
        title: 'Billing pipelines stuck after the scheduler host was lost',
      },
      summary:
        'The scheduler host sched-3 died at 12:31.\nIts locks stayed until they were released by hand at 13:20.',
      ...{ withTokens: false, lockLimit: null },
    },
    stores: [
      {
        ...{ name: 'cache', address: 'redis://10.0.4.11:6379/0', kind: 'redis', production: true },
        ...{ server: 'Redis 7.0.15', status: 'live', error: null, asOf: at(125) },
        ...{
          clockOffsetMs: -1840,
          clockErrorMs: 3,
          scanned: 4210,
          scanMs: 31,
          spent: { requests: 9120, units: null },
        },
      },
      {
        ...{
          name: 'pipelines',
          address: 'dynamodb://eu-west-1/pipeline-locks',
          kind: 'dynamodb',
          production: true,
        },
        ...{ server: null, status: 'down', asOf: at(96), clockOffsetMs: 12, clockErrorMs: null },
        error: { code: 'STORE_UNREACHABLE', message: 'The server did not answer within 5 s' },
        ...{ scanned: 800, scanMs: 210, spent: { requests: 240, units: 1210.5 } },
      },
    ],
    figures: {
      overall: figures(1),
      stores: [
        { store: 'cache', figures: figures(1) },
        { store: 'pipelines', figures: figures(2) },
      ],
    },
    history: {
      ...{ from: at(0), stepMs: STEP },
      series: [
        { store: 'cache', points: points(() => false) },
        { store: 'pipelines', points: points(minute => (minute > 40 && minute < 52) || minute > 96) },
      ],
    },
    gaps: [
      {
        store: 'pipelines',
        from: at(40),
        until: at(52),
        why: 'down',
        message: 'The server did not answer within 5 s',
      },
      { store: 'pipelines', from: at(96), until: null, why: 'away', message: null },
    ],
    attention: {
      locks: [stuck('gcp_billing_export', 'expired'), stuck('usage_rollup', 'endless'), ended()],
      more: 12,
    },
    alerts: {
      listed: [
        {
          ...{
            rule: 'expired',
            severity: 'critical',
            store: 'cache',
            key: 'pipeline_lock:acme1281:gcp_billing_export',
          },
          ...{
            holder: 'run-5000 (sched-3)',
            count: 1,
            value: 2_400_000,
            limit: null,
            detail: null,
            since: at(45),
          },
          ...{
            until: at(80),
            says: 'The lease of pipeline_lock:acme1281:gcp_billing_export ended 40 min ago.',
          },
          ...{ acknowledged: { by: 'ana', at: at(50), reason: 'known, host lost' }, muted: false },
        },
        {
          ...{
            rule: 'store-down',
            severity: 'critical',
            store: 'pipelines',
            key: null,
            holder: null,
            count: 2,
          },
          ...{
            value: null,
            limit: null,
            detail: null,
            since: at(41),
            until: null,
            acknowledged: null,
            muted: false,
          },
          says: "Can't read all of pipelines for 12 min; showing older data.",
        },
      ],
      ...{ more: 0, left: 0, knownSince: at(-60) },
      advice: [
        { rule: 'expired', next: ['Find out whether its holder is still at work.', 'Then release it here.'] },
      ],
    },
    actions: {
      listed: [
        {
          ...{ action: 'b7', at: at(80), until: at(81), user: 'ana', host: 'ops-1', method: 'plans.apply' },
          ...{
            stores: ['cache'],
            plan: 'paf3108140786',
            key: null,
            reason: 'scheduler host lost',
            outcome: 'done',
          },
          ...{ error: null, counts: { released: 26, changed: 1 }, moreNotDone: 0 },
          notDone: [{ key: 'pipeline_lock:acme7:gcp_billing_export', outcome: 'changed', message: null }],
        },
        {
          ...{ action: 'a1', at: at(60), until: at(60), user: 'ben', host: 'ops-2', method: 'locks.release' },
          ...{ stores: ['cache'], plan: null, key: 'lockRecharge:VOZ_PROCESS', reason: 'worker-3 died' },
          ...{ outcome: 'released', error: null, counts: {}, notDone: [], moreNotDone: 0 },
        },
      ],
      ...{ more: 0, elsewhere: 3, unreadable: 0 },
      audit: {
        ...{
          ok: true,
          says: 'The last line is the one that the head knows',
          lines: 812,
          file: 'audit-000001.jsonl',
        },
        ...{
          seq: 812,
          hash: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
          damages: [],
        },
      },
    },
    ...change,
  }
}

function figures(scale: number): ReportHead['figures']['overall'] {
  const groups: Figures['byHolder'] = {
    top: [
      { name: 'sched-3', count: 27 * scale },
      { name: 'sched-1', count: 14 },
      { name: 'pid 8121', count: 3 },
    ],
    others: { names: 24, count: 24 },
  }
  return {
    counts: { held: 31 * scale, expiring: 4, expired: 3, endless: 2, unknown: 0, released: 5 },
    ...{
      active: 37 * scale,
      total: 45 * scale,
      byHolder: groups,
      byFormat: groups,
      byPrefix: groups,
      byName: groups,
    },
    flows: { taken: 612, passedOn: 14, renewed: 2040, freed: 560, lapsed: 31 },
    observedMs: 108 * MINUTE,
    holdTimes: { edges: [...TIME_EDGES], counts: [2, 14, 60, 180, 240, 71, 20, 4, 0, 0], unknown: 3 },
    remaining: { edges: [...TIME_EDGES], counts: [0, 1, 1, 4, 9, 12, 8, 0, 0, 0], unknown: 2 },
    oldest: {
      ...{ store: 'cache', key: 'lock:auction:8841', holder: 'token sha256:3dbcc219', since: at(-300) },
      exact: false,
    },
    longest: {
      ...{
        store: 'cache',
        key: 'lockRecharge:VOZ_PROCESS',
        holder: 'VOZ_1 (pid 871)',
        since: at(-90),
        exact: true,
      },
      until: at(60),
    },
  }
}

function points(isGap: (minute: number) => boolean): (Point | null)[] {
  return Array.from({ length: 240 }, (_, i) => {
    const minute = i / 2
    if (isGap(minute)) return null
    const stuck = minute < 31 ? 0 : minute < 80 ? Math.min(27, Math.floor((minute - 31) * 1.4)) : 1
    const wave = Math.round(8 * Math.sin(i / 14))
    return {
      counts: {
        ...{ held: 30 + wave, expiring: 4 + (i % 3), expired: stuck, endless: minute > 20 ? 2 : 1 },
        ...{ unknown: 0, released: 5 },
      },
      flows: { taken: 2 + (i % 4), passedOn: i % 9 === 0 ? 1 : 0, renewed: 8, freed: 2 + (i % 3), lapsed: 0 },
      spent: { requests: 20, units: null },
    }
  })
}

function stuck(name: string, state: 'expired' | 'endless'): AttentionLock {
  const holder = 'run-5000 (sched-3)'
  return {
    ...{ store: 'cache', key: `pipeline_lock:acme1281:${name}`, format: 'pipeline-run', state, holder },
    ...{
      ownerHash: 'sha256:3dbcc2191798311c',
      since: at(20),
      sinceExact: true,
      expiresAt: at(80),
      notes: [],
    },
    ...{ ended: false, why: [state, 'alert'], earlierHolds: 3 },
    says: 'Held by run-5000 (sched-3) for 1 h 45 min; its lease ended 40 min ago; nothing has renewed it in the 1 h 45 min it was watched.',
    holds: [
      hold('run-4998 (sched-3)', 2, 9, 'freed'),
      hold('run-4999 (sched-1)', 9, 20, 'passed-on'),
      hold(holder, 20, null, 'held'),
    ],
  }
}

function ended(): AttentionLock {
  return {
    ...{ store: 'cache', key: 'lockRecharge:VOZ_PROCESS', format: 'recharge-json', state: 'released' },
    ...{
      holder: 'VOZ_1 (pid 871)',
      ownerHash: 'sha256:aa11',
      since: at(-90),
      sinceExact: true,
      expiresAt: null,
    },
    ...{ notes: [], ended: true, why: ['held-long', 'released-here'], earlierHolds: 0 },
    says: 'Was held by VOZ_1 (pid 871) for 2 h 30 min. It was released with Lockkeeper.',
    holds: [hold('VOZ_1 (pid 871)', -90, 60, 'freed')],
  }
}

function hold(
  holder: string,
  from: number,
  until: number | null,
  end: 'freed' | 'held' | 'passed-on',
): AttentionLock['holds'][number] {
  return {
    ...{
      holder,
      ownerHash: null,
      from: at(from),
      begin: 'seen',
      until: until === null ? null : at(until),
      end,
    },
    renewals: end === 'held' ? 12 : 0,
  }
}

export function someLocks(count: number): ReportLock[] {
  const states = ['held', 'held', 'held', 'expiring', 'expired', 'endless'] as const
  return Array.from({ length: count }, (_, i) => {
    const state = states[i % states.length] ?? 'held'
    return {
      ...{
        store: 'cache',
        key: `pipeline_lock:tenant-${i % 100}:pipeline-${i}`,
        format: 'pipeline-run',
        state,
      },
      ...{ holder: `run-${i} (sched-${i % 4})`, ownerHash: 'sha256:3dbcc2191798311c', since: at(i % 100) },
      ...{ sinceExact: i % 5 !== 0, expiresAt: state === 'endless' ? null : at(130 + (i % 60)), notes: [] },
      ...{ lease: state === 'endless' ? 'never' : 'deadline', observedAt: at(125) },
    }
  })
}
