import { parseAddress } from './address.ts'
import {
  byHolder,
  CHANGES_WINDOW_MS,
  isHeld,
  lockRule,
  outageRule,
  SAME_ALERT_MS,
  storeRule,
} from './alert-rule.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS, sayDuration } from './duration.ts'
import { kindOf } from './kinds.ts'
import { holdersLookAlike, leaseBeginOf } from './lease.ts'
import { sayTimes } from './numbers.ts'

/** Every alert rule. A new rule is one definition here, added to the list at the end. */

const storeDown = outageRule({
  id: 'store-down',
  severity: 'critical',
  title: 'Store cannot be read',
  about: 'A store does not answer, or part of it cannot be read.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: 15 * SECOND_MS },
  sentence({ store, duration, detail }) {
    const error = detail === null ? '' : ` ${/[.!?…]$/.test(detail) ? detail : `${detail}.`}`
    return `Can't read all of ${store} for ${duration ?? 'some time'}; showing older data.${error}`
  },
  summary: ({ store }) => `${store} cannot be read, or not all of it.`,
  advice: [
    'Check that the server runs and that this machine can reach it: network, firewall, account and password.',
    'Find out what the programs do without it. A program that stops is safe; one that continues without a lock, or falls back to another store, may run the same job twice.',
    'When the store is back, look for locks past their expiry and for names held in two stores before you release anything.',
  ],
})

const expired = lockRule({
  id: 'expired',
  severity: 'critical',
  title: 'Past its expiry',
  about: 'The lease of a lock has ended, and its record is still stored.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: MINUTE_MS },
  // An implausible expiry has a rule of its own.
  check: ({ state, expiresAt, implausibleExpiry, now }) =>
    state === 'expired' && expiresAt !== null && implausibleExpiry === null
      ? { value: now - expiresAt, since: expiresAt }
      : null,
  // The record has the time.
  refindMs: () => 0,
  sentence: alert =>
    `The lease of ${alert.lock} in ${alert.store}, held${byHolder(alert) || ' by an unknown holder'}, ended ${alert.duration ?? 'some time'} ago, and the record is still stored.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'is past its' : 'are past their'} expiry and still stored.`,
  advice: [
    'Find out whether its holder is still at work. If it is, its lease is too short: raise the lock timeout above the longest run, or renew the lease while it runs.',
    'If the run is over, look at how it releases the lock: the release belongs in a finally block, and an error in the release itself must be logged.',
    'Once you are sure that the holder is gone, release the lock with Lockkeeper.',
  ],
  lastStep: address => kindOf(parseAddress(address).kind).afterExpiry,
})

/** How a fallback between two stores lets two holders in: what happens, what happens then, and what follows from it. */
export const SPLIT_STORY = [
  'the first store did not answer, so a program fell back to the second one and took the lock there.',
  'Then the first store came back; the others look only there, find the name free, and start as well.',
  'So have one provider for all instances, no fallback when it is down, and no looking for one lock in two stores.',
] as const

const twoStores = storeRule({
  id: 'two-stores',
  severity: 'critical',
  title: 'Held in two stores',
  about: 'Two holders have a lock of the same name, each in another store.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: 5 * SECOND_MS },
  comparesStores: true,
  *check({ heldElsewhere }) {
    for (const { lock, stores } of heldElsewhere) yield { lock, detail: stores.join(', ') }
  },
  sentence: alert =>
    `${alert.lock} is held in ${alert.store}${byHolder(alert)}, and at the same time by another holder in ${alert.detail ?? 'another store'}: the same job may be running twice.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'is' : 'are'} held by another holder in another store at the same time.`,
  advice: [
    'Two runs may be at work at once: find out which one is right, and stop the other before you release its lock.',
    `This is how it usually comes about: ${SPLIT_STORY[0]} ${SPLIT_STORY[1]}`,
    `${SPLIT_STORY[2]} Change the provider only while everything is stopped, and release the remaining locks of the old store before you start again: lockkeeper switch guides you through it.`,
    'If these are two systems that share a name by chance, mute the rule for one of the stores.',
  ],
})

const implausibleExpiry = lockRule({
  id: 'implausible-expiry',
  severity: 'warning',
  title: 'Implausible expiry',
  about: 'The expiry in a record is before 2000 or more than ten years away.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: 0 },
  check: ({ implausibleExpiry: detail }) => (detail === null ? null : { detail }),
  sentence: alert =>
    `${alert.lock} in ${alert.store}${alert.holder === null ? '' : `, held${byHolder(alert)},`} expires at ${alert.detail ?? 'a time'}, which cannot be right; perhaps seconds and milliseconds were mixed up.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has' : 'have'} an expiry that cannot be right.`,
  advice: [
    'Look at the program that writes the expiry: seconds instead of milliseconds, or the other way round, are the usual cause.',
    'Until it is fixed, do not rely on the lock: other programs take it for one that ended long ago and start too, or for one that never ends and wait forever.',
    'When its holder is done, release the record with Lockkeeper, so that the next one is written correctly.',
  ],
})

const leaseUsed = lockRule({
  id: 'lease-used',
  severity: 'warning',
  title: 'Lease nearly used',
  about: 'Lease usage exceeds this, and the lease has not been renewed.',
  limit: { unit: 'fraction', label: 'Used more than' },
  // A short lease passes 80 % briefly before a normal release: that is no alert.
  defaults: { enabled: true, limit: 0.8, forMs: 10 * SECOND_MS },
  check(facts, limit) {
    const { lock, expiresAt, now } = facts
    if (!isHeld(facts) || expiresAt === null) return null
    // Without a known start, the first reading underestimates the usage, and never overestimates it.
    const begin = leaseBeginOf(lock, now) ?? lock.watched.heldSince
    const used = (now - begin) / (expiresAt - begin)
    if (expiresAt <= begin || used < limit) return null
    return { value: Math.min(1, used), since: begin + limit * (expiresAt - begin) }
  },
  mayPredateWatching: lock => leaseBeginOf(lock, lock.observedAt) === null && lock.watched.holders === 1,
  sentence: alert =>
    // Never rounded up: at 100 % the lease would be over.
    `${alert.lock} in ${alert.store}, held${byHolder(alert) || ' by an unknown holder'}, has used ${alert.value === null ? 'most' : `${Math.floor(alert.value * 100)} %`} of its present lease, and the lease has not been renewed since.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has nearly used its lease' : 'have nearly used their leases'}.`,
  advice: [
    'Look at how far the job is. When the lease ends before the job does, another run may start beside it.',
    'If runs need longer than this, raise the lock timeout well above the longest of them, or renew the lock every few minutes while the job runs.',
    'If they used to be faster, find out what slows them down before you give them more time.',
  ],
})

const noExpiry = lockRule({
  id: 'no-expiry',
  severity: 'warning',
  title: 'No expiry',
  about: 'A lock is held without an expiry.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: MINUTE_MS },
  check(facts) {
    const { lock, heldSince, now } = facts
    if (!isHeld(facts) || lock.lease.kind !== 'never') return null
    return { value: heldSince === null ? null : Math.max(0, now - heldSince), since: heldSince }
  },
  sentence: alert => {
    const held = alert.duration === null ? 'is held' : 'has been held'
    const atLeast = alert.duration === null ? '' : ` for at least ${alert.duration}`
    return `${alert.lock} in ${alert.store} ${held}${byHolder(alert)}${atLeast} and has no expiry: if its holder dies, it stays.`
  },
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'is held and has' : 'are held and have'} no expiry.`,
  advice: [
    'Check that its holder is alive: if it dies without releasing the lock, nothing ever frees it.',
    'Once you are sure that the holder is gone, release the lock with Lockkeeper.',
    'Have the lock taken with a time to live from now on, and renewed where the work takes longer.',
  ],
})

const heldLong = lockRule({
  id: 'held-long',
  severity: 'warning',
  title: 'Held for long',
  about: 'One holder has had a lock for longer than this.',
  limit: { unit: 'ms', label: 'Held longer than' },
  defaults: { enabled: true, limit: 2 * HOUR_MS, forMs: 0 },
  check(facts, limit) {
    const { heldSince, now } = facts
    if (!isHeld(facts) || heldSince === null || now - heldSince <= limit) return null
    return { value: now - heldSince, since: heldSince + limit }
  },
  refindMs: limit => SAME_ALERT_MS + limit,
  sentence: alert =>
    `${alert.lock} in ${alert.store} has been held${byHolder(alert)} for ${alert.duration ?? 'a long time'}.`,
  summary: ({ locks, isOne, store }) => `${locks} in ${store} ${isOne ? 'has' : 'have'} been held for long.`,
  advice: [
    'Check in the log of the job whether it still makes progress, and whether it takes longer than it used to.',
    'If the job has ended, look at whether its finally block is reached, and whether the release failed with an error.',
    'Release the lock with Lockkeeper once you are sure that no job works under it, or wait until it expires.',
    'If jobs are meant to take this long, raise the limit of this rule for the store.',
  ],
})

const renewedLong = lockRule({
  id: 'renewed-long',
  severity: 'warning',
  title: 'Renewed for long',
  about: 'One holder was seen to renew a lock for longer than this.',
  limit: { unit: 'ms', label: 'Renewed for longer than' },
  defaults: { enabled: true, limit: HOUR_MS, forMs: 0 },
  check(facts, limit) {
    const { renewals, heldSince } = facts.lock.watched
    // If all holders write the same value, a renewal may be the next holder.
    if (!isHeld(facts) || renewals === 0 || holdersLookAlike(facts.lock)) return null
    const renewedMs = facts.now - heldSince
    return renewedMs > limit ? { value: renewedMs, since: heldSince + limit, detail: String(renewals) } : null
  },
  refindMs: limit => SAME_ALERT_MS + limit,
  sentence: alert =>
    `${alert.lock} in ${alert.store} is kept${byHolder(alert)} by renewing it: ${alert.detail === null ? 'often' : sayTimes(Number(alert.detail))} in the ${alert.duration ?? 'time'} it was watched.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has' : 'have'} been renewed for long.`,
  advice: [
    'Check the job and not just its process: renewing often continues when the work itself hangs or has failed.',
    'Stop the process that renews before you release the lock, or it may write the lock back.',
    'Have the lock renewed only while the job makes progress, and up to a longest time.',
  ],
})

/** The `detail` where records do not name holders: the same program may have taken the lock each time. */
const UNNAMED_HOLDERS = 'unnamed'
const WITHIN = `within ${CHANGES_WINDOW_MS / MINUTE_MS} minutes`

const contention = storeRule({
  id: 'contention',
  severity: 'warning',
  title: 'Contention',
  about: `A lock changed holder at least this many times ${WITHIN}.`,
  limit: { unit: 'times', label: 'Changes of the holder' },
  defaults: { enabled: true, limit: 20, forMs: 0 },
  *check({ holderChanges }, limit) {
    for (const { lock, times, isNamed } of holderChanges)
      if (times >= limit) yield { lock, value: times, detail: isNamed ? null : UNNAMED_HOLDERS }
  },
  refindMs: () => SAME_ALERT_MS + CHANGES_WINDOW_MS,
  sentence({ lock, store, value, detail }) {
    const often = `${value === null ? 'often' : sayTimes(value)} ${WITHIN}`
    return detail === UNNAMED_HOLDERS
      ? `${lock} in ${store} was acquired again ${often}. Its record does not name the holder: it may be one program that takes it again and again.`
      : `${lock} in ${store} changed holder ${often}.`
  },
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'changes its holder' : 'change their holders'} often.`,
  advice: [
    'Check in the history of the lock who takes it in turn: too many instances, or a schedule that starts the next run before the last one is done.',
    'Keep the work under the lock short, and move slow calls out of it.',
    'Notify waiters when the lock is free, or have them retry after a growing pause and give up after 30 to 60 seconds.',
  ],
})

const clockOffset = storeRule({
  id: 'clock-offset',
  severity: 'notice',
  title: 'Clocks differ',
  about: 'The clocks of a store and this machine differ by more than this.',
  limit: { unit: 'ms', label: 'Differ by more than' },
  defaults: { enabled: true, limit: 2 * SECOND_MS, forMs: 30 * SECOND_MS },
  *check({ offsetMs, offsetErrorMs }, limit) {
    // The offset itself may be wrong by the error of its measurement.
    if (offsetMs !== null && Math.abs(offsetMs) - offsetErrorMs > limit) yield { lock: null, value: offsetMs }
  },
  sentence: ({ store, value }) =>
    `The clock of ${store} is ${sayDuration(value ?? Number.NaN)} ${(value ?? 0) < 0 ? 'behind' : 'ahead of'} the clock of this machine.`,
  summary: ({ store }) => `The clocks of ${store} and this machine differ.`,
  advice: [
    'Check that time synchronization (NTP) runs on the store’s machine and on this one.',
    'Expiries that programs compute by their own clock end too early or too late by as much as that clock is wrong: leave leases a margin, or let the store compute them.',
    'The countdowns here use the store’s clock and stay right.',
  ],
})

/** Every alert rule, in the order of lists and forms. */
export const ALERT_RULE_DEFINITIONS = [
  storeDown,
  expired,
  twoStores,
  implausibleExpiry,
  leaseUsed,
  noExpiry,
  heldLong,
  renewedLong,
  contention,
  clockOffset,
] as const
