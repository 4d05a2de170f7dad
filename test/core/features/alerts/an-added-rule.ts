import { lockRule } from '../../../../shared/alert-rule.ts'
import { SECOND_MS } from '../../../../shared/duration.ts'

/** A rule that the product does not have. */
export const shouting = lockRule({
  id: 'shouting',
  severity: 'notice',
  title: 'Shouting key',
  about: 'A key has more capital letters than this.',
  limit: { unit: 'times', label: 'Capital letters' },
  defaults: { enabled: true, limit: 3, forMs: 5 * SECOND_MS },
  check({ lock, now }, limit) {
    const capitals = lock.key.match(/\p{Lu}/gu)?.length ?? 0
    return capitals > limit ? { value: capitals, since: now - 10 * SECOND_MS } : null
  },
  sentence: ({ lock, store, value }) => `${lock} in ${store} has ${value} capital letters.`,
  summary: ({ locks, store }) => `${locks} in ${store} shout.`,
  advice: ['Take a deep breath.', 'Rename the key.'],
})
