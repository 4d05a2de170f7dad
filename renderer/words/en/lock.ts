import type { TimeSource } from '../../../shared/locks.ts'
import { plural } from '../../../shared/numbers.ts'
import { clockTime, dateTime } from './say.ts'

/** One lock: what is known of it, and its release. */
export const lock = {
  inspector: {
    none: 'Nothing selected',
    noneText: 'Choose a lock and press Enter to see everything that is known about it.',
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
