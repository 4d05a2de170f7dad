import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { plural } from '../../../shared/numbers.ts'
import type { Counted, Gap, GroupBy, LockTenure, StoreStats } from '../../../shared/stats.ts'
import { clockTime, dateTime, numbers, span } from './say.ts'

const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

const rate = (perMinute: number) => (perMinute < 10 ? hundredths : tenths).format(perMinute)

const GAPS: Record<Gap['why'], string> = {
  down: 'did not answer',
  partial: 'could be read only in part',
  away: 'was not watched',
}

const overTime = (what: string) => (from: number, to: number, now: readonly string[]) =>
  `${what} from ${dateTime(from)} to ${dateTime(to)}. At the end: ${now.join(', ')}. Arrow keys read it, plus and minus zoom; the table has every number.`

const beginnings: Record<LockTenure['begin'], (at: number) => string> = {
  before: at => `before ${dateTime(at)}`,
  seen: at => `about ${dateTime(at)}`,
  stored: dateTime,
}

const endings: Record<LockTenure['end'], (at: string) => string> = {
  held: () => 'still held',
  freed: at => `${at}, released`,
  lapsed: at => `${at}, ran out`,
  'passed-on': at => `${at}, another took over`,
  unseen: at => `last seen ${at}`,
}

/** Numbers, charts and who held what. */
export const stats = {
  stats: {
    title: 'Statistics',
    allStores: 'all stores',
    showAll: (name: string) => `Show all stores instead of ${name} alone`,
    window: 'How far back',
    windows: { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h' },
    zoomed: (from: number, to: number) => `${dateTime(from)} – ${dateTime(to)}`,
    unzoom: 'Show all of it',
    loading: 'Counting…',
    failed: 'The statistics could not be read.',
    nothingYet: 'Nothing observed yet',
    nothingYetText: 'Numbers appear with the first reading of a store.',
    notLive: (name: string, asOf: number | null) =>
      asOf === null
        ? `${name} has not been read yet.`
        : `${name} is not live. It counts as of ${clockTime(asOf)}.`,
    chart: 'chart',
    asChart: 'Chart',
    asTable: 'Table',
    axisTime: (at: number, stepMs: number) => (stepMs < MINUTE_MS ? clockTime(at) : times.format(at)),
    axisValue: (value: number) => short.format(value),

    now: 'Now',
    active: 'Active',
    stored: 'Stored',
    states: {
      held: 'Held',
      expiring: 'Expiring',
      expired: 'Expired',
      endless: 'No expiry',
      unknown: 'Unknown',
      released: 'Released',
    } satisfies Record<Counted, string>,
    perMinute: 'In a minute, as observed',
    aMinute: '/min',
    rate: (n: number | null) => (n === null ? '–' : rate(n)),
    observed: (ms: number, windowMs: number) =>
      ms >= windowMs - 30_000
        ? `observed all of the last ${span(windowMs)}`
        : `observed ${span(ms)} of ${span(windowMs)}`,
    watchedFrom: (at: number) => `nobody watched before ${dateTime(at)}, so the charts are shorter`,
    oldest: 'Held longest now',
    longest: 'Longest that ended',
    none: 'none',
    cost: 'Watching cost',
    costRequests: (n: number) => plural(n, 'request', 'requests'),
    costUnits: (units: number) => `${tenths.format(units)} capacity units`,
    costSince: 'since the stores were opened',

    counts: 'Locks by state',
    countsSaid: overTime('Locks by state'),
    rates: 'What happened, per minute',
    ratesSaid: overTime('What happened to locks, per minute,'),
    groups: 'Locks by group',
    groupsSaid: overTime('Locks by group'),
    groupsBy: 'Grouped by',
    groupNames: {
      holder: 'Holder',
      format: 'Format',
      prefix: 'Prefix',
      name: 'Name',
    } satisfies Record<GroupBy, string>,
    otherGroups: 'Others',
    valueOf: (name: string, value: string) => `${name} ${value}`,
    noValue: 'not known',
    hide: (name: string) => `Show ${name}`,
    hint: 'Drag to zoom, double-click to see all',
    gapLabels: {
      down: 'no answer',
      partial: 'read in part',
      away: 'not watched',
    } satisfies Record<Gap['why'], string>,
    incompleteLabel: 'incomplete',
    gap: (from: number, until: number, reasons: readonly string[]) =>
      `Not observed ${dateTime(from)} – ${dateTime(until)}: ${reasons.join('; ')}.`,
    incomplete: (reasons: readonly string[]) => `Incomplete: ${reasons.join('; ')}.`,
    countedAsSeen: 'What is not observed counts as it was last seen.',
    reason: (name: string, why: Gap['why'], message: string | null) =>
      message === null ? `${name} ${GAPS[why]}` : `${name} ${GAPS[why]} (${message})`,
    time: 'Time',
    note: 'Note',

    tenureTimes: 'Held for, of those that ended',
    remaining: 'Time left, of those held now',
    bucket: 'Time',
    locks: 'Locks',
    below: (edge: string) => `< ${edge}`,
    atLeast: (edge: string) => `≥ ${edge}`,
    unmeasured: 'Not known',
    edge: (ms: number) =>
      ms < MINUTE_MS ? `${ms / 1000} s` : ms < HOUR_MS ? `${ms / MINUTE_MS} min` : `${ms / HOUR_MS} h`,
    nothingEnded: 'Nothing was seen to end in this time.',
    nothingHeld: 'Nothing is held at the moment.',
    histogramSaid: (title: string, parts: readonly string[]) => `${title}: ${parts.join(', ')}.`,

    byHolder: 'Holders',
    byFormat: 'Formats',
    byPrefix: 'Prefixes, tenants',
    byName: 'Names, pipelines',
    others: (names: number, locks: number) =>
      `${plural(names, 'other', 'others')} with ${plural(locks, 'lock', 'locks')}`,
    noGroups: 'No locks now.',

    timeline: 'Timeline of a lock',
    chooseKey: 'Key',
    chooseKeyHint: 'Type a part of a key',
    keys: 'Keys that were seen',
    noKeys: 'No key that was seen fits.',
    keySeen: (tenures: number, heldNow: boolean) =>
      `${plural(tenures, 'holder', 'holders')}${heldNow ? ', held now' : ''}`,
    chooseFirst: 'Choose a key to see who held it, and when.',
    noTenures: 'Nobody was seen to hold it in this time.',
    timelineSaid: (key: string, tenures: number, holders: number) =>
      `Holders of ${key} over time: ${plural(tenures, 'time it was held', 'times it was held')} by ${plural(holders, 'holder', 'holders')}. Arrow keys go from one to the next; the table has them all.`,
    left: (n: number) => `${numbers.format(n)} earlier ones are not drawn.`,
    token: (hash: string) => `token ${hash.slice(0, 8)}`,
    otherHolders: 'earlier holders',
    tenureColumns: {
      holder: 'Holder',
      from: 'From',
      until: 'Until',
      length: 'Held for',
      renewals: 'Renewals',
    },
    tenureFrom: ({ from, begin }: LockTenure) => beginnings[begin](from),
    tenureUntil: ({ until, end }: LockTenure) =>
      until === null ? 'still held' : endings[end](dateTime(until)),
    tenureLength: (ms: number, exact: boolean) => `${exact ? '' : '≥ '}${span(ms)}`,
    renewals: (n: number) => plural(n, 'renewal', 'renewals'),

    stores: 'Stores',
    storeColumns: {
      store: 'Store',
      status: 'Status',
      active: 'Active',
      stored: 'Stored',
      oldest: 'Oldest',
      offset: 'Clock',
      scan: 'One reading',
      cost: 'Cost',
    },
    statuses: {
      live: 'live',
      stale: 'stale',
      down: 'down',
      unwatched: 'read once',
    } satisfies Record<StoreStats['status'], string>,
    offset: (ms: number | null) =>
      ms === null ? 'unknown' : `${ms < 0 ? '−' : '+'}${hundredths.format(Math.abs(ms) / 1000)} s`,
    scan: (ms: number | null, records: number) =>
      ms === null
        ? '–'
        : `${ms < 1000 ? `${ms} ms` : `${tenths.format(ms / 1000)} s`}, ${plural(records, 'record', 'records')}`,
  },
}
