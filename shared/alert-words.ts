import { type Alert, type AlertRule, CONTENTION_MS, UNNAMED_HOLDERS } from './alerts.ts'
import { MINUTE_MS, sayDuration } from './duration.ts'
import { plural, sayTimes } from './numbers.ts'
import { clip, escapeForTerminal, neutralise } from './safe-text.ts'

/**
 * What alerts say, on every screen. Names in the sentences are escaped already, so what prints them only neutralises. What to do
 * next is in alert-advice.ts.
 */

type RuleWords = {
  readonly title: string
  /** What it looks for, for whoever sets it. */
  readonly about: string
  /** In front of the limit in a form; null for a rule that has none. */
  readonly limit: string | null
}

export const RULE_WORDS: Readonly<Record<AlertRule, RuleWords>> = {
  'store-down': {
    title: 'Store cannot be read',
    about: 'A store does not answer, or a part of it cannot be read.',
    limit: null,
  },
  expired: {
    title: 'Past its expiry',
    about: 'The lease of a lock is over, and its record is still stored.',
    limit: null,
  },
  'two-stores': {
    title: 'Held in two stores',
    about: 'Two holders have a lock of the same name, each in another store.',
    limit: null,
  },
  'implausible-expiry': {
    title: 'Implausible expiry',
    about: 'The end that a record names is before 2000 or more than ten years away.',
    limit: null,
  },
  'lease-used': {
    title: 'Lease nearly used',
    about: 'So much of a lease is used, and nobody has renewed it.',
    limit: 'Used more than',
  },
  'no-expiry': {
    title: 'No expiry',
    about: 'A lock is held and never ends by itself.',
    limit: null,
  },
  'held-long': {
    title: 'Held for long',
    about: 'One holder has had a lock for longer than this.',
    limit: 'Held longer than',
  },
  'renewed-long': {
    title: 'Renewed for long',
    about: 'One holder was seen to renew a lock for longer than this.',
    limit: 'Renewed for longer than',
  },
  contention: {
    title: 'Contention',
    about: `A lock changed its holder so often within ${sayMinutes(CONTENTION_MS)}.`,
    limit: 'Changes of the holder',
  },
  'clock-offset': {
    title: 'Clocks differ',
    about: 'The clock of a store and the one of this machine differ by more than this.',
    limit: 'Differ by more than',
  },
}

/** In front of how long it must have been so, in the same form. */
export const FOR_LABEL = 'For at least'

type Told = Pick<Alert, 'rule' | 'storeName' | 'key' | 'holder' | 'value' | 'detail'>

/** One sentence, with the numbers of when it was last looked at. */
export function alertSentence(alert: Told): string {
  const { rule, value } = alert
  const lock = alert.key === null ? 'The lock' : shown(alert.key)
  const store = shown(alert.storeName)
  const by = alert.holder === null ? '' : ` by ${shown(alert.holder)}`
  const long = value === null ? null : sayDuration(value, { coarse: true })
  switch (rule) {
    case 'store-down': {
      // What failed is told in a sentence that is escaped already.
      const why = alert.detail ? ` ${ending(neutralise(clip(alert.detail, LONG)))}` : ''
      return `It has not been possible to read all of ${store} for ${long ?? 'some time'}; what is shown of it is from before.${why}`
    }
    case 'expired':
      return `The lease of ${lock} in ${store}, held${by || ' by an unknown holder'}, ended ${long ?? 'some time'} ago, and the record is still there.`
    case 'two-stores':
      return `${lock} is held in ${store}${by}, and at the same time by another holder in ${shown(alert.detail ?? 'another store')}: the same job may be running twice.`
    case 'implausible-expiry':
      return `${lock} in ${store}${by && `, held${by},`} is to end at ${shown(alert.detail ?? 'a time')}, which nobody can have meant; perhaps seconds and milliseconds were mixed up.`
    case 'lease-used':
      return `${lock} in ${store}, held${by || ' by an unknown holder'}, has used ${sayPart(value)} of its present lease, and nothing has extended it since.`
    case 'no-expiry':
      return long === null
        ? `${lock} in ${store} is held${by} and has no expiry: if its holder dies, it stays.`
        : `${lock} in ${store} has been held${by} for at least ${long} and has no expiry: if its holder dies, it stays.`
    case 'held-long':
      return `${lock} in ${store} has been held${by} for ${long ?? 'a long time'}.`
    case 'renewed-long':
      return `${lock} in ${store} is kept${by} by renewing it: ${sayHowOften(Number(alert.detail))} in the ${long ?? 'time'} it was watched.`
    case 'contention': {
      const often = `${sayHowOften(value ?? Number.NaN)} within ${sayMinutes(CONTENTION_MS)}`
      return alert.detail === UNNAMED_HOLDERS
        ? `${lock} in ${store} was taken anew ${often}. Its record does not say by whom: it may be one program that takes it again and again.`
        : `${lock} in ${store} changed its holder ${often}.`
    }
    case 'clock-offset':
      return `The clock of ${store} is ${sayDuration(value ?? Number.NaN)} ${(value ?? 0) < 0 ? 'behind' : 'ahead of'} the one of this machine.`
  }
}

/** For a list that has a line for each: `Past its expiry: GPS_PROCESS in recharges`. It does not change while it goes on. */
export function alertHeadline({ rule, key, storeName }: Pick<Alert, 'rule' | 'key' | 'storeName'>): string {
  const where = shown(storeName)
  return `${RULE_WORDS[rule].title}: ${key === null ? where : `${shown(key)} in ${where}`}`
}

/** Several of one rule in one store, in one sentence. */
export function alertsSentence(rule: AlertRule, count: number, storeName: string): string {
  const store = shown(storeName)
  const locks = plural(count, 'lock', 'locks')
  const one = count === 1
  switch (rule) {
    case 'store-down':
      return `${store} cannot be read, or not all of it.`
    case 'expired':
      return one
        ? `1 lock in ${store} is past its expiry and still stored.`
        : `${locks} in ${store} are past their expiry and still stored.`
    case 'two-stores':
      return `${locks} in ${store} ${one ? 'is' : 'are'} held by somebody else in another store at the same time.`
    case 'implausible-expiry':
      return `${locks} in ${store} ${one ? 'has' : 'have'} an expiry that nobody can have meant.`
    case 'lease-used':
      return one
        ? `1 lock in ${store} has nearly used its lease.`
        : `${locks} in ${store} have nearly used their leases.`
    case 'no-expiry':
      return `${locks} in ${store} ${one ? 'is' : 'are'} held and ${one ? 'has' : 'have'} no expiry.`
    case 'held-long':
      return `${locks} in ${store} ${one ? 'has' : 'have'} been held for long.`
    case 'renewed-long':
      return `${locks} in ${store} ${one ? 'has' : 'have'} been renewed for long.`
    case 'contention':
      return `${locks} in ${store} ${one ? 'changes its holder' : 'change their holders'} often.`
    case 'clock-offset':
      return `The clock of ${store} and the one of this machine differ.`
  }
}

/** For a place that has room for a few words. */
export function sayUnacknowledged(count: number): string {
  if (count === 0) return 'No alerts'
  return plural(count, 'alert to look at', 'alerts to look at')
}

const NAMED = 80
/** What a server says needs more room than a name. */
const LONG = 240

function shown(name: string): string {
  return escapeForTerminal(clip(name, NAMED))
}

function ending(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`
}

/** Never rounded up: at 100 % it would be over. */
function sayPart(fraction: number | null): string {
  return fraction === null ? 'most' : `${Math.floor(fraction * 100)} %`
}

function sayHowOften(n: number): string {
  return Number.isFinite(n) ? sayTimes(n) : 'often'
}

function sayMinutes(ms: number): string {
  return `${Math.round(ms / MINUTE_MS)} minutes`
}
