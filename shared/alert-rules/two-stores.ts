import { SECOND_MS } from '../duration.ts'
import { byHolder, storeRule } from './rule.ts'

/** How a fallback between two stores lets two holders in: what happens, what happens then, and what follows from it. */
export const SPLIT_STORY = [
  'the first store did not answer, so a program fell back to the second one and took the lock there.',
  'Then the first store came back; the others look only there, find the name free, and start as well.',
  'So have one provider for all instances, no fallback when it is down, and no looking for one lock in two stores.',
] as const

export const twoStores = storeRule({
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
    `${SPLIT_STORY[2]} Change the provider only while everything is stopped, and clear what is left in the old store before you start again: lockkeeper switch leads through it.`,
    'If these are two systems that share a name by chance, mute the rule for one of the stores.',
  ],
})
