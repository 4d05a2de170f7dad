import type { Capability } from '../../shared/contract.ts'
import { sayDuration } from '../../shared/lease.ts'
import type { LockState, StoreKind, TimeSource } from '../../shared/lock.ts'
import type { ErrorCode } from '../../shared/result.ts'
import type { StoreColour } from '../../shared/store-profile.ts'

const plurals = new Intl.PluralRules('en')
const numbers = new Intl.NumberFormat('en')
const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const datesAndTimes = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

function count(n: number, one: string, other: string): string {
  return `${numbers.format(n)} ${plurals.select(n) === 'one' ? one : other}`
}

/** A store can hold a time that no calendar reaches. */
function reachable(time: number): boolean {
  return Math.abs(time) <= 8.64e15
}

function clockTime(time: number): string {
  return reachable(time) ? times.format(time) : `${time} ms`
}

function dateTime(time: number): string {
  if (!reachable(time)) return `${time} ms`
  return Math.abs(time - Date.now()) < 12 * 3_600_000 ? times.format(time) : datesAndTimes.format(time)
}

const duration = (ms: number) => sayDuration(ms, { tenths: false })
/** For what nobody waits for: how long ago, how old. */
const span = (ms: number) => sayDuration(ms, { coarse: true })

export const en = {
  product: 'Lockkeeper',
  locale: 'en',
  number: (n: number) => numbers.format(n),
  clockTime,
  dateTime,
  duration,
  span,

  regions: {
    stores: 'Stores',
    inspector: 'Inspector',
    main: 'Locks',
  },

  sidebar: {
    allLocks: 'All locks',
    stores: 'Stores',
    add: 'Add a store…',
    found: 'Found here',
    offer: (name: string) => `Add ${name}…`,
    offerFrom: (variables: string) => `from ${variables}`,
    production: 'PROD',
    productionTitle: 'Production: a release asks for the store’s name',
    readOnly: 'read-only',
    menu: (name: string) => `Actions for ${name}`,
    edit: 'Edit…',
    duplicate: 'Duplicate…',
    close: 'Close',
    open: 'Open',
    remove: 'Remove…',
  },

  storeKinds: {
    redis: 'Redis',
    mysql: 'MySQL',
    dynamodb: 'DynamoDB',
    memory: 'Embedded',
  } satisfies Record<StoreKind, string>,

  status: {
    closed: 'closed',
    connecting: 'connecting…',
    live: (locks: number) => `live · ${count(locks, 'lock', 'locks')}`,
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
        ? `${count(open, 'store', 'stores')} live`
        : `${count(open, 'store', 'stores')}, ${numbers.format(down)} not live`,
    clock: (ms: number) => `store clock ${ms >= 0 ? '+' : '−'}${(Math.abs(ms) / 1000).toFixed(1)} s`,
    scanned: (records: number, ms: number) =>
      `${count(records, 'record', 'records')} read in ${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}`,
    selected: (n: number) => `${numbers.format(n)} selected`,
    announceDown: (name: string) => `${name} does not answer.`,
    announceLive: (name: string) => `${name} is live.`,
    shownOf: (shown: number, total: number) =>
      `${numbers.format(shown)} of ${count(total, 'lock', 'locks')} shown`,
  },

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
    attentionFirst: 'What needs attention first',
    filter: 'Filter locks',
    filterExample: 'state:expiring owner:worker-3 age>1h',
    clearFilter: 'Clear the filter',
    countAll: (total: number) => numbers.format(total),
    countSome: (shown: number, total: number) => `${numbers.format(shown)} of ${numbers.format(total)}`,
    columnsButton: 'Columns',
    waiting: (n: number) => `${count(n, 'new lock', 'new locks')} · show`,
    chips: {
      expired: (n: number) => `${numbers.format(n)} expired, still stored`,
      endless: (n: number) => `${numbers.format(n)} without expiry`,
      expiring: (n: number) => `${numbers.format(n)} over 80 %`,
      unrecognised: (n: number) => `${count(n, 'record', 'records')} not understood`,
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
    noOwner: 'not recorded',
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
    filterProblem: (text: string) => `“${text}” is not understood and ignored.`,
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
        : `The store is live: ${count(records, 'record', 'records')} looked at, none of them a lock.`,
    noMatch: 'No lock matches',
    noMatchText: (total: number) => `${count(total, 'lock is', 'locks are')} hidden by the filter.`,
    down: (name: string) => `${name} does not answer`,
    downText: 'It is tried again by itself. Nothing is known of its locks until it answers.',
    denied: (name: string) => `${name} does not let this account in`,
    deniedText: 'Check the user name and password, or what the account may read.',
    editStore: 'Edit the store…',
    broken: (name: string) => `${name} cannot be opened`,
  },

  inspector: {
    none: 'Nothing selected',
    noneText: 'Choose a lock and press Enter to see everything that is known about it.',
    close: 'Close the inspector',
    release: 'Release…',
    copyKey: 'Copy key',
    copied: 'Copied',
    loading: 'Reading…',
    gone: 'This lock is gone.',
    notALock: 'Not a lock',
    unreadable: 'It could not be read again',
    staleHere: (time: number) => `The store does not answer. This is as of ${clockTime(time)}.`,
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
      stored: 'written in the record',
      ttl: 'from the TTL',
      token: 'read out of the token',
      unknown: 'source unknown',
    } satisfies Record<TimeSource, string>,
    never: 'never by itself',
    unknown: 'unknown',
    watchedSince: (time: number, renewals: number, holders: number) =>
      `since ${dateTime(time)}: ${count(renewals, 'renewal', 'renewals')}, ${count(holders, 'holder', 'holders')}`,
    notes: 'To know',
    holders: 'Holders seen',
    holderNow: 'now',
    tenure: (from: number, until: number | null, renewals: number) =>
      `${dateTime(from)} – ${until === null ? 'now' : dateTime(until)}${renewals === 0 ? '' : ` · ${count(renewals, 'renewal', 'renewals')}`}`,
    fields: 'Fields',
    consequence: 'What releasing does',
    command: 'The same by hand',
    noCommand: 'No other tool can do this release in one guarded step.',
    copyCommand: 'Copy command',
    raw: 'Raw value',
    rawSize: (bytes: number) =>
      bytes < 1024
        ? count(bytes, 'byte', 'bytes')
        : bytes < 1_048_576
          ? `${(bytes / 1024).toFixed(1)} KB`
          : `${(bytes / 1_048_576).toFixed(1)} MB`,
    rawCut: (shown: string, whole: string) => `The first ${shown} of ${whole}.`,
    rawText: 'Text',
    rawHex: 'Hex',
    rawNotText: 'Not UTF-8 text: shown in hex.',
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
    cancel: 'Cancel',
    close: 'Close',
    readOnly: 'This store is set to read-only in Lockkeeper. Nothing can be released in it.',
    changedWhileOpen: (holder: string) =>
      `The lock changed while this dialog was open: it is held by ${holder} now. What you saw can no longer be released.`,
    renewedWhileOpen:
      'The holder renewed the lock while this dialog was open. What you saw can no longer be released.',
    goneWhileOpen: 'The lock is gone: somebody released it, or it ended.',
    notListed:
      'It is not in the list of locks: it is gone, or too large to be listed. Nothing can be released.',
    lookAgain: 'Look at it as it is now',
    released: 'Released.',
    notified: (n: number) => `${count(n, 'waiting client was', 'waiting clients were')} told.`,
    changed: (holder: string | null) =>
      holder === null
        ? 'Not released: it is not the lock you saw any more. Nothing was touched.'
        : `Not released: it is held by ${holder} now. Nothing was touched.`,
    gone: 'Already gone. Nothing was touched.',
    refused: 'Not released.',
    stale: (time: number) =>
      `This store does not answer; what you see is as of ${clockTime(time)}. A release compares with what is there now.`,
  },

  stores: {
    addTitle: 'Add a store',
    editTitle: 'Edit store',
    duplicateTitle: 'Duplicate store',
    removeTitle: 'Remove store',
    removeText: (name: string) =>
      `${name} is removed from this list, with its password. Its locks are not touched.`,
    remove: 'Remove',
    address: 'Address',
    addressHint: 'Paste an address, or fill in the fields below',
    name: 'Name',
    kind: 'Provider',
    host: 'Host',
    port: 'Port',
    hosts: 'Hosts',
    hostsHint: 'host:port, separated by commas',
    topology: 'Topology',
    standalone: 'One server',
    sentinel: 'Sentinel',
    cluster: 'Cluster',
    group: 'Sentinel group',
    db: 'Database number',
    database: 'Database',
    user: 'User',
    password: 'Password',
    secretKey: 'Secret access key',
    accessKey: 'Access key id',
    passwordKept: 'Known; leave empty to keep it',
    passwordDurable: 'Kept in this computer’s keyring.',
    passwordSession: (reason: string) => `${reason}.`,
    forget: 'Forget the password',
    tls: 'Use TLS',
    pattern: 'Key pattern',
    patternHint: 'Every key, unless you say which are locks: lock:*',
    table: 'Table',
    tableHint: 'Every lock table, unless you name one',
    region: 'Region',
    endpoint: 'Endpoint',
    endpointHint: 'Only for emulators and private endpoints',
    profile: 'AWS profile',
    memoryName: 'Name in this process',
    format: 'Format',
    anyFormat: 'Recognise by itself',
    colour: 'Colour',
    colours: {
      slate: 'Slate',
      teal: 'Teal',
      blue: 'Blue',
      violet: 'Violet',
      rose: 'Rose',
      amber: 'Amber',
      green: 'Green',
    } satisfies Record<StoreColour, string>,
    production: 'Production',
    productionHint: 'A release asks for the name typed and a reason',
    readOnly: 'Read-only',
    readOnlyHint: 'Nothing can be released here',
    test: 'Test',
    testing: 'Testing…',
    save: 'Save',
    add: 'Add',
    saving: 'Saving…',
    cancel: 'Cancel',
    fromEnvironment: 'Found in the environment',
    use: 'Use',
    testServer: (server: string, latencyMs: number) => `${server} answers in ${latencyMs} ms.`,
    testClock: (offsetMs: number, errorMs: number) =>
      Math.abs(offsetMs) <= errorMs + 50
        ? 'Its clock agrees with this computer’s.'
        : `Its clock is ${duration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} this computer’s.`,
    testNoClock: 'Its clock may not be read.',
    testFormats: (parts: readonly string[], complete: boolean) =>
      `Locks found${complete ? '' : ' so far'}: ${parts.join(', ')}.`,
    testFormat: (title: string, n: number) => `${numbers.format(n)} ${title}`,
    testNone: (scanned: number) => `No lock among ${count(scanned, 'record', 'records')}.`,
    testUnrecognised: (n: number) => `${count(n, 'record is', 'records are')} not understood.`,
    testMay: (what: readonly string[]) => `This account may ${what.join(', ')}.`,
    testMayNot: (what: readonly string[]) => `It may not ${what.join(', ')}.`,
    capabilities: {
      release: 'release locks',
      notify: 'wake waiting processes',
      'atomic-read': 'read a record and its expiry at once',
      'server-time': 'ask for the server’s time',
    } satisfies Record<Capability, string>,
    testFailed: 'It does not work yet.',
  },

  unrecognised: {
    title: 'Records not understood',
    text: 'They are in the store, but no lock format knows them. They are shown and never released.',
    some: (shown: number, all: number) => `The first ${numbers.format(shown)} of ${numbers.format(all)}.`,
  },

  palette: {
    title: 'Commands',
    placeholder: 'Type a command, a store or a filter',
    filterBy: (text: string) => `Filter locks by “${text}”`,
    showStore: (name: string) => `Show locks of ${name}`,
    showAll: 'Show locks of all stores',
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
      ['↑ ↓', 'Previous, next lock'],
      ['Page Up, Page Down', 'A page of locks'],
      ['Home, End', 'First, last lock'],
      ['Enter', 'Inspect the lock'],
      ['Space', 'Select the lock'],
      ['Delete', 'Release the lock…'],
      ['/', 'Filter; Escape clears it'],
      ['Ctrl K or ⌘ K', 'Every command'],
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
    close: 'Close',
  },

  errors: {
    title: 'The console stopped',
    text: 'Something unexpected went wrong on this screen. No lock was touched by it.',
    reload: 'Load it again',
    codes: {
      BAD_INPUT: 'That is not valid',
      NOT_FOUND: 'Not found',
      STORE_UNREACHABLE: 'The store does not answer',
      STORE_DENIED: 'Denied',
      STORE_ERROR: 'The store answered with an error',
      UNSUPPORTED: 'Not supported here',
      REFUSED: 'Refused',
      AUDIT_FAILED: 'The audit log cannot be written',
      ABORTED: 'Stopped',
      INTERNAL: 'Unexpected error',
    } satisfies Record<ErrorCode, string>,
  },
}

/** Every language has exactly these words. */
export type Words = typeof en
