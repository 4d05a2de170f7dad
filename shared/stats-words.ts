import type { Flows } from './stats.ts'

/** What happened to locks has one name each, wherever it is told; none of them is the sum of two. */
export const FLOW_WORDS: Readonly<Record<keyof Flows, string>> = {
  taken: 'Acquired',
  freed: 'Released',
  lapsed: 'Ran out',
  renewed: 'Renewed',
  passedOn: 'Holder changes',
}

/** In this order. */
export const FLOW_NAMES = Object.keys(FLOW_WORDS) as readonly (keyof Flows)[]
