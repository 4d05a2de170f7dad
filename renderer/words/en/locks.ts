import type { LockState } from '../../../shared/locks.ts'
import { plural } from '../../../shared/numbers.ts'
import { duration, numbers, span } from './say.ts'

/** The table of locks. */
export const locks = {
  table: {
    name: 'Locks',
    columns: {
      state: 'State',
      key: 'Key',
      holder: 'Holder',
      store: 'Store',
      format: 'Format',
      age: 'Age',
      remaining: 'Remaining',
    },
    sortBy: (column: string) => `Sort by ${column}`,
    filter: 'Filter locks',
    filterExample: 'state:expiring owner:worker-3 age>1h',
    clearFilter: 'Clear the filter',
    countAll: (total: number) => numbers.format(total),
    countSome: (shown: number, total: number) => `${numbers.format(shown)} of ${numbers.format(total)}`,
    columnsButton: 'Columns',
    waiting: (n: number) => `${plural(n, 'new lock', 'new locks')} · show`,
    chips: {
      expired: (n: number) => `${numbers.format(n)} expired, still stored`,
      endless: (n: number) => `${numbers.format(n)} without expiry`,
      expiring: (n: number) => `${numbers.format(n)} over 80 %`,
      unrecognised: (n: number) => `${plural(n, 'record', 'records')} not understood`,
      calm: 'Nothing needs attention',
    },
    states: {
      held: 'Held',
      expiring: 'Expiring',
      expired: 'Expired',
      released: 'Free',
      unknown: 'Unknown',
      endless: 'No expiry',
      ended: 'Re-reading',
      gone: 'Gone',
    } satisfies Record<LockState | 'endless' | 'ended' | 'gone', string>,
    ageUnknown: 'unknown',
    atLeast: (ms: number) => `≥ ${span(ms)}`,
    startsIn: (ms: number) => `in ${duration(ms)}`,
    remaining: {
      never: 'no expiry',
      session: 'with its session',
      heartbeat: 'while renewed',
      free: 'free',
      unknown: 'unknown',
      ended: 'ended, reading again',
      ago: (ms: number) => `ended ${span(ms)} ago`,
      gone: 'gone',
    },
    filterProblem: (text: string) => `Unrecognized filter “${text}”; ignored.`,
    copyKeys: 'Copy keys',
    clearSelection: 'Clear',
  },

  empty: {
    noStores: 'No store is open',
    noStoresText: 'Open one at the left, or add the Redis, MySQL or DynamoDB that holds your locks.',
    loading: 'Reading locks…',
    loadingText: (stores: string) => `Waiting for ${stores}.`,
    none: 'No locks here',
    noneText: (records: number) =>
      records === 0
        ? 'The store is live and holds no lock at the moment. New ones appear by themselves.'
        : `The store is live: ${plural(records, 'record', 'records')} looked at, none of them a lock.`,
    noMatch: 'No lock matches',
    noMatchText: (total: number) => `${plural(total, 'lock is', 'locks are')} hidden by the filter.`,
    down: (name: string) => `${name} does not answer`,
    downText: 'It is tried again by itself. Nothing is known of its locks until it answers.',
    denied: (name: string) => `${name} does not let this account in`,
    deniedText: 'Check the user name and password, or what the account may read.',
    editStore: 'Edit the store…',
    broken: (name: string) => `${name} cannot be opened`,
  },
}
