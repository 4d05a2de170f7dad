import { expect, test } from 'vitest'
import { recognise } from '../../../electron/core/stores/recognise.ts'
import type { Format, Hint, Recognition } from '../../../electron/core/stores/types.ts'

const HINT: Hint = { pinned: false, patternGiven: true }
const lock = (confidence: number): Recognition => ({ is: 'lock', confidence })
const other: Recognition = { is: 'other' }
const broken = (reason: string): Recognition => ({ is: 'other', reason })
const companion: Recognition = { is: 'companion' }

/** Formats that answer like this, in this order, called a, b, c. */
function ask(...answers: Recognition[]): string {
  const formats = answers.map((answer, i) => ({
    info: { id: 'abc'[i] },
    recognise: (raw: string, hint: Hint) => {
      expect([raw, hint]).toEqual(['record', HINT])
      return answer
    },
  })) as unknown as Format<string, never>[]
  const verdict = recognise(formats, 'record', HINT, raw => ({
    is: 'foreign',
    reason: `nobody knows this ${raw}`,
  }))
  return verdict.is === 'lock'
    ? verdict.format.info.id
    : verdict.is === 'companion'
      ? 'companion'
      : verdict.reason
}

test.each<[string, Recognition[], string]>([
  ['the surest wins', [lock(0.2), lock(0.9), lock(0.5)], 'b'],
  ['a tie goes to the earlier', [lock(0.7), lock(0.7)], 'a'],
  ['one that is hardly sure is better than none', [other, lock(0.01), other], 'b'],
  ['a companion is not a lock, however sure another format is', [lock(1), companion], 'companion'],
  ['a companion is not a lock, whatever a later format answers', [companion, lock(1)], 'companion'],
  ['a companion wins over a broken claim', [broken('bad'), companion], 'companion'],
  ['a broken claim silences those that only guess', [broken('bad'), lock(0.49)], 'bad'],
  ['a broken claim silences an earlier guess too', [lock(0.49), broken('bad')], 'bad'],
  ['a broken claim does not silence one that is sure', [broken('bad'), lock(0.5)], 'b'],
  ['of several broken claims the first is the reason', [other, broken('first'), broken('second')], 'first'],
  ['a record that no format claims has the reason of the store', [other, other], 'nobody knows this record'],
  ['without formats nothing is recognised', [], 'nobody knows this record'],
])('%s', (_, answers, winner) => {
  expect(ask(...answers)).toBe(winner)
})
