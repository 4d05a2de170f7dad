import type { AlertParts } from './alert-rule.ts'
import { type Alert, type AlertRule, RULES } from './alerts.ts'
import { sayDuration } from './duration.ts'
import { plural } from './numbers.ts'
import { clip, neutralise, shownName } from './safe-text.ts'

/** What alerts say, on every screen. Names in the sentences are escaped already, so printing them only needs `neutralise`. */

/** In front of how long a finding must last, in the form of a rule. */
export const FOR_LABEL = 'For at least'

type AlertText = Pick<Alert, 'rule' | 'storeName' | 'key' | 'holder' | 'value' | 'detail'>

/** One sentence, with the numbers the rule measured last. */
export function alertSentence({ rule, storeName, key, holder, value, detail }: AlertText): string {
  const { on, sentence } = RULES[rule]
  const parts: AlertParts = {
    lock: key === null ? 'The lock' : shownName(key),
    store: shownName(storeName),
    holder: holder === null ? null : shownName(holder),
    value,
    duration: value === null ? null : sayDuration(value, { coarse: true }),
    // A server's error comes in a sentence that is escaped already.
    detail: on === 'outage' ? detail && neutralise(clip(detail, LONGEST_ERROR)) : detail && shownName(detail),
  }
  return sentence(parts)
}

/** For a list of one line each: `Past its expiry: GPS_PROCESS in recharges`. It does not change while the alert is open. */
export function alertHeadline({ rule, key, storeName }: Pick<Alert, 'rule' | 'key' | 'storeName'>): string {
  const where = shownName(storeName)
  return `${RULES[rule].title}: ${key === null ? where : `${shownName(key)} in ${where}`}`
}

/** Several alerts of one rule in one store, in one sentence. */
export function alertsSentence(rule: AlertRule, count: number, storeName: string): string {
  const locks = plural(count, 'lock', 'locks')
  return RULES[rule].summary({ locks, isOne: count === 1, store: shownName(storeName) })
}

/** What to do about an alert, step by step. */
export function alertAdvice({ rule, address }: Pick<Alert, 'rule' | 'address'>): readonly string[] {
  const { advice, lastStep } = RULES[rule]
  return lastStep ? [...advice, lastStep(address)] : advice
}

/** For a place with room for a few words. */
export function sayUnacknowledged(count: number): string {
  if (count === 0) return 'No alerts'
  return plural(count, 'alert to look at', 'alerts to look at')
}

const LONGEST_ERROR = 240
