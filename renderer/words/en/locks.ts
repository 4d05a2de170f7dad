import type { LockState, TimeSource } from '../../../shared/locks.ts'
import { plural } from '../../../shared/numbers.ts'
import { clockTime, dateTime, duration, numbers, span } from './say.ts'

/** The table of locks, one lock, and its release. */
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

  inspector: {
    close: 'Close the inspector',
    release: 'Release…',
    copyKey: 'Copy key',
    timeline: 'Timeline',
    loading: 'Reading…',
    gone: 'This lock is gone.',
    notALock: 'Not a lock',
    unreadable: 'It could not be read again',
    staleHere: (time: number) => `The store is not live. This is as of ${clockTime(time)}.`,
    now: (time: number) => `now ${clockTime(time)}`,
    acquiredAt: (time: number) => `taken ${dateTime(time)}`,
    seenAt: (time: number) => `seen ${dateTime(time)}`,
    endsAt: (time: number) => `ends ${dateTime(time)}`,
    endedAt: (time: number) => `ended ${dateTime(time)}`,
    leaseUsed: (percent: number) => `${percent} % of the lease used`,
    facts: {
      owner: 'Owner',
      holder: 'Holder',
      acquired: 'Taken',
      expires: 'Ends',
      seen: 'Watched',
      format: 'Format',
      store: 'Store',
      fence: 'Fence',
      read: 'Read',
    },
    sources: {
      stored: 'from record',
      ttl: 'from the TTL',
      token: 'read out of the token',
      unknown: 'source unknown',
    } satisfies Record<TimeSource, string>,
    never: 'never by itself',
    unknown: 'unknown',
    watchedSince: (time: number, renewals: number, holders: number) =>
      `since ${dateTime(time)}: ${plural(renewals, 'renewal', 'renewals')}, ${plural(holders, 'holder', 'holders')}`,
    watchedAlike: (time: number, times: number) =>
      `since ${dateTime(time)}: renewed, or taken again by another holder, ${plural(times, 'time', 'times')}; which of them cannot be told`,
    notes: 'To know',
    holders: 'Holders seen',
    tenure: (from: number, until: number | null, renewals: number) =>
      `${dateTime(from)} – ${until === null ? 'now' : dateTime(until)}${renewals === 0 ? '' : ` · ${plural(renewals, 'renewal', 'renewals')}`}`,
    fields: 'Fields',
    consequence: 'What releasing does',
    command: 'Equivalent command',
    noCommand: 'No other tool can do this release in one guarded step.',
    copyCommand: 'Copy command',
    raw: 'Raw value',
    rawSize: (bytes: number) =>
      bytes < 1024
        ? plural(bytes, 'byte', 'bytes')
        : bytes < 1_048_576
          ? `${(bytes / 1024).toFixed(1)} KB`
          : `${(bytes / 1_048_576).toFixed(1)} MB`,
    rawForm: (part: string) => `Format of ${part}`,
    rawCut: (shown: string, whole: string) => `The first ${shown} of ${whole}.`,
    rawAll: (whole: string) => `Show all ${whole}`,
    rawUnread: 'The whole value could not be read:',
    rawLeft: (parts: number) => `${plural(parts, 'more part is', 'more parts are')} not shown.`,
    rawText: 'Text',
    rawHex: 'Hex',
  },

  release: {
    title: 'Release lock',
    who: 'Holder',
    age: 'Held for',
    store: 'Store',
    consequence: 'What it does',
    reason: 'Reason',
    reasonHint: 'Goes into the audit log',
    reasonNeeded: 'A production store asks for a reason.',
    typeName: (name: string) => `Type ${name} to confirm`,
    confirm: 'Release',
    working: 'Releasing…',
    readOnly: 'This store is set to read-only in Lockkeeper. Nothing can be released in it.',
    changedWhileOpen: (holder: string) =>
      `The lock changed while this dialog was open: it is held by ${holder} now. What you saw can no longer be released.`,
    renewedWhileOpen:
      'The holder renewed the lock while this dialog was open. What you saw can no longer be released.',
    alikeWhileOpen:
      'The lock was renewed, or taken again by another holder that writes the same, while this dialog was open. What you saw can no longer be released.',
    goneWhileOpen: 'The lock is gone: it was released, or it ended.',
    notListed:
      'It is not in the list of locks: it is gone, or too large to be listed. Nothing can be released.',
    lookAgain: 'Look at it as it is now',
    released: 'Released.',
    notified: (n: number) => `${plural(n, 'waiting client was', 'waiting clients were')} told.`,
    changed: (holder: string | null) =>
      holder === null
        ? 'Not released: it is no longer the lock you saw. Nothing was touched.'
        : `Not released: it is held by ${holder} now. Nothing was touched.`,
    gone: 'Already gone. Nothing was touched.',
    refused: 'Not released.',
    uncertain: 'It is not known for certain whether it was released.',
    stale: (time: number) =>
      `This store is not live; what you see is as of ${clockTime(time)}. A release compares with what is there now.`,
  },
}
