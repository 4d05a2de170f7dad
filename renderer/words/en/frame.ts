import { plural } from '../../../shared/numbers.ts'
import { clockTime, numbers, span } from './say.ts'

/** What stands around the table. */
export const frame = {
  regions: {
    stores: 'Stores',
    inspector: 'Inspector',
    main: {
      locks: 'Locks',
      stats: 'Statistics',
      alerts: 'Alerts',
      switch: 'Provider switch',
      holds: 'Holds',
    },
  },

  sidebar: {
    allLocks: 'All locks',
    stores: 'Stores',
    add: 'Add a store…',
    found: 'Found here',
    offer: (name: string) => `Add ${name}…`,
    offerFrom: (variables: string) => `from ${variables}`,
    production: 'PROD',
    productionMark: 'P',
    productionTitle: 'Production: releases require the store name and a reason',
    readOnly: 'read-only',
    menu: (name: string) => `Actions for ${name}`,
    edit: 'Edit…',
    duplicate: 'Duplicate…',
    close: 'Close',
    open: 'Open',
    remove: 'Remove…',
  },

  status: {
    closed: 'closed',
    connecting: 'connecting…',
    live: (locks: number) => `live · ${plural(locks, 'lock', 'locks')}`,
    ofKind: (kind: string, said: string) => `${kind} · ${said}`,
    stale: (since: string) => `stale since ${since}`,
    down: (forMs: number) => `down for ${span(forMs)}`,
    downNow: 'down',
    retryIn: (ms: number) => `retrying in ${Math.max(1, Math.ceil(ms / 1000))} s`,
    retrying: 'retrying now',
    denied: 'denied',
    ended: 'Lockkeeper was restarted: open the address that it printed.',
    lost: 'The connection to Lockkeeper itself is lost; trying again.',
    asOf: (time: number) => `as of ${clockTime(time)}`,
    notYet: 'not read yet',
    stores: (open: number, down: number) =>
      down === 0
        ? `${plural(open, 'store', 'stores')} live`
        : `${plural(open, 'store', 'stores')}, ${numbers.format(down)} not live`,
    clock: (ms: number) => `store clock ${ms >= 0 ? '+' : '−'}${(Math.abs(ms) / 1000).toFixed(1)} s`,
    scanned: (records: number, ms: number) =>
      `${plural(records, 'record', 'records')} read in ${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}`,
    selected: (n: number) => `${numbers.format(n)} selected`,
    announceDown: (name: string) => `${name} does not answer.`,
    announceLive: (name: string) => `${name} is live.`,
    shownOf: (shown: number, total: number) =>
      `${numbers.format(shown)} of ${plural(total, 'lock', 'locks')} shown`,
  },

  errors: {
    title: 'The console stopped',
    text: 'Something unexpected went wrong on this screen. What was done to a lock before that is in the audit log.',
    reload: 'Load it again',
    noVersion: 'The version of Lockkeeper was not loaded.',
    noFormats: 'Lock formats were not loaded.',
  },
}
