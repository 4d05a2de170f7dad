import { plural } from '../../../shared/numbers.ts'
import { clockTime, numbers, span } from './say.ts'

/** What stands around the views, the palette and the keys. */
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

  session: {
    end: 'End session',
    notEnded: 'The session was not ended.',
    title: 'No session',
    text: 'Open Lockkeeper with the address in the terminal where it was started. Each address works once; press Enter there for another.',
  },

  errors: {
    title: 'The console stopped',
    text: 'Something unexpected went wrong on this screen. What was done to a lock before that is in the audit log.',
    reload: 'Load it again',
    noVersion: 'The version of Lockkeeper was not loaded.',
    noFormats: 'Lock formats were not loaded.',
  },

  palette: {
    title: 'Commands',
    placeholder: 'Type a command, a store or a filter',
    filterBy: (text: string) => `Filter locks by “${text}”`,
    showStore: (name: string) => `Show locks of ${name}`,
    showAll: 'Show locks of all stores',
    showStats: 'Show statistics',
    showAlerts: 'Show alerts',
    alertRules: 'Edit the rules for alerts…',
    openStore: (name: string) => `Open ${name}`,
    closeStore: (name: string) => `Close ${name}`,
    editStore: (name: string) => `Edit ${name}…`,
    duplicateStore: (name: string) => `Duplicate ${name}…`,
    removeStore: (name: string) => `Remove ${name}…`,
    inspect: 'Inspect the lock',
    release: 'Release the lock…',
    copyKey: 'Copy the key of the lock',
    select: 'Select or deselect the lock',
    clearSelection: 'Clear the selection',
    sortBy: (column: string) => `Sort by ${column}`,
    sortAttention: 'Sort by what needs attention',
    showColumn: (column: string) => `Show the column ${column}`,
    hideColumn: (column: string) => `Hide the column ${column}`,
    filterState: (what: string) => `Show only: ${what}`,
    clearFilter: 'Clear the filter',
    focusFilter: 'Go to the filter',
    theme: (theme: string) => `Use the ${theme} theme`,
    themes: { system: 'system’s', light: 'light', dark: 'dark' },
    keys: 'Show the keys',
    nothing: 'Nothing fits.',
  },

  keys: {
    title: 'Keys',
    rows: [
      ['1, 2, 3, 4, 5', 'Locks, statistics, alerts, provider switch, holds'],
      ['↑ ↓', 'Previous, next lock'],
      ['Page Up, Page Down', 'A page of locks'],
      ['Home, End', 'First, last lock'],
      ['Enter', 'Inspect the lock'],
      ['Space', 'Select the lock'],
      ['Delete', 'Release the lock…'],
      ['Shift Delete', 'Release all that are shown or selected…'],
      ['/', 'Filter; Escape clears it'],
      ['Ctrl K or ⌘ K', 'Every command'],
      ['← →', 'In a chart: move the reading; + and − zoom, Escape shows all'],
      ['Escape', 'Close what is open'],
      ['?', 'These keys'],
    ] as const,
    filterTitle: 'Filters',
    filterRows: [
      ['pipeline', 'Key, holder, format or store contains the text'],
      ['state:expired,expiring', 'held, expiring, expired, no-expiry, released, unknown'],
      ['owner:worker-3 store:prod', 'Also key:, format:, kind:'],
      ['age>1h left<5m', 'Units: s, m, h, d'],
      ['is:attention is:production', 'is:stuck is expired or without expiry'],
      ['-store:test "two words"', 'Not; words that belong together'],
    ] as const,
  },
}
