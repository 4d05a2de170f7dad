import { createReadStream } from 'node:fs'
import type { HandlersOf } from '../../lib/handler.ts'
import type { Plans } from './plans.ts'

export function planHandlers(plans: Plans): HandlersOf<'plans'> {
  return {
    'plans.create': (input, { signal, action }) => plans.create(input, signal, action),
    'plans.open': ({ file }) => plans.open(file),
    'plans.list': () => plans.list(),
    'plans.import': ({ text }) => plans.import(text),
    'plans.remove': async ({ planId }) => {
      await plans.remove(planId)
      return null
    },
    'plans.exclude': input => plans.exclude(input),
    'plans.compare': ({ planId }, { signal }) => plans.compare(planId, signal),
    'plans.apply': (input, { action }) => ({
      facts: input,
      // Its stores are checked once the plan is locked: until then another console may exclude some of its locks.
      stores: () => [],
      apply: () => plans.apply(input, action),
      outcome: ({ planId }) => ({ outcome: 'begun', plan: planId }),
    }),
    'plans.steer': input => plans.steer(input),
    'plans.undo': (input, { action }) => plans.undo(input, action),
    'plans.watch': ({ planId }, signal) => plans.watch(planId, signal),
    'plans.file': async function* ({ planId }) {
      const path = await plans.pathOf(planId)
      const file = createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })
      for await (const text of file) yield { text: text as string }
    },
  }
}
