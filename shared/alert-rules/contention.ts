import { MINUTE_MS } from '../duration.ts'
import { sayTimes } from '../numbers.ts'
import { CHANGES_WINDOW_MS, SAME_ALERT_MS, storeRule } from './rule.ts'

/** The `detail` where records do not name holders: the same program may have taken the lock each time. */
const UNNAMED_HOLDERS = 'unnamed'
const WITHIN = `within ${CHANGES_WINDOW_MS / MINUTE_MS} minutes`

export const contention = storeRule({
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
