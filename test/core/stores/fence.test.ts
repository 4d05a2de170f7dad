import { describe, expect, test } from 'vitest'
import {
  checkFence,
  DEADLINE_SLACK_MS,
  type FenceInput,
  makeFence,
} from '../../../electron/core/stores/fence.ts'
import { Random } from '../../random.ts'

const T = 1_800_000_000_000
type Part = FenceInput['exact'][number]
type Made = { format: string; id: string; seen: FenceInput }

const describePart = (part: Part) =>
  Buffer.isBuffer(part) ? `b${part.toString('hex')}` : `${typeof part}${JSON.stringify(part)}`
const identity = ({ format, id, seen }: Made) =>
  JSON.stringify([format, id, seen.exact.map(describePart), String(seen.endsAt)])

test('the same lock has the same fence', () => {
  const seen = { exact: [Buffer.from('token'), 'owner', 7, true, null] }
  const fence = makeFence('token', 'orders', seen)
  expect(makeFence('token', 'orders', { exact: [...seen.exact] })).toBe(fence)
  expect(checkFence(fence, 'token', 'orders', seen)).toEqual({ same: true, endsAt: undefined })
  expect(fence).toMatch(/^[0-9a-f]{32}$/)
})

const word = Buffer.from('ab')
test.each<[string, Made, Made]>([
  ['format', make('a', 'x', ['p']), make('b', 'x', ['p'])],
  ['id', make('a', 'x', ['p']), make('a', 'y', ['p'])],
  ['border between format and id', make('ab', 'c', []), make('a', 'bc', [])],
  ['border between id and parts', make('a', 'bc', ['d']), make('a', 'b', ['cd'])],
  ['border between parts', make('a', 'x', ['ab', 'c']), make('a', 'x', ['a', 'bc'])],
  ['number of parts', make('a', 'x', ['']), make('a', 'x', [])],
  ['order of parts', make('a', 'x', ['a', 'b']), make('a', 'x', ['b', 'a'])],
  ['type: text and bytes', make('a', 'x', ['ab']), make('a', 'x', [word])],
  ['type: text and number', make('a', 'x', ['1']), make('a', 'x', [1])],
  ['type: text and truth', make('a', 'x', ['true']), make('a', 'x', [true])],
  ['type: nothing and empty', make('a', 'x', [null]), make('a', 'x', [''])],
  ['type: nothing and no bytes', make('a', 'x', [null]), make('a', 'x', [Buffer.alloc(0)])],
  ['border between bytes', make('a', 'x', [word, word]), make('a', 'x', [Buffer.from('abbab')])],
  ['length written into a part', make('a', 'x', ['a', 'b']), make('a', 'x', ['as1:b'])],
  ['lone surrogate, which UTF-8 cannot tell', make('a', 'x', ['\ud800']), make('a', 'x', ['\ud801'])],
  ['replacement character', make('a', 'x', ['\ud800']), make('a', 'x', ['\ufffd'])],
  ['normal form', make('a', 'x', ['é']), make('a', 'x', ['e\u0301'])],
  ['case', make('a', 'x', ['A']), make('a', 'x', ['a'])],
  ['having a deadline', make('a', 'x', ['p']), make('a', 'x', ['p'], null)],
])('a different %s is a different lock', (_, one, other) => {
  expect(fenceOf(one)).not.toBe(fenceOf(other))
  expect(check(fenceOf(one), other)).toEqual({ same: false })
  expect(check(fenceOf(other), one)).toEqual({ same: false })
})

test('no two of many nearly equal locks share a fence', () => {
  const random = new Random(20)
  const text = () => random.text(['a', 'b', '1', ':', 's', '.', ''], 3)
  const part = (): Part =>
    random.pick<Part>([text(), Buffer.from(text()), random.below(3), true, false, null])
  const all = new Map<string, Made>()
  for (let i = 0; i < 4000; i++) {
    const made = make(
      text(),
      text(),
      Array.from({ length: random.below(4) }, part),
      random.pick([undefined, null, T]),
    )
    const fence = fenceOf(made)
    const before = all.get(fence)
    if (before) expect(identity(before)).toBe(identity(made))
    all.set(fence, made)
  }
  expect(all.size).toBeGreaterThan(2000)
  const entries = [...all]
  for (let i = 0; i < 4000; i++) {
    const [fence, made] = random.pick(entries)
    const [, other] = random.pick(entries)
    if (made !== other)
      expect(check(fence, other), `${identity(made)} ${identity(other)}`).toEqual({ same: false })
  }
})

describe('a fence with a deadline', () => {
  const seenUntil = (endsAt: number | null | undefined) => make('token', 'x', ['1'], endsAt)

  test.each([
    ['the same', T, true],
    ['earlier within the rounding', T - DEADLINE_SLACK_MS, true],
    ['earlier: the next holder leased for less', T - 60_000, false],
    ['later within the rounding', T + DEADLINE_SLACK_MS, true],
    ['later by one more', T + DEADLINE_SLACK_MS + 1, false],
    ['much later', T + 60_000, false],
    ['never', null, false],
    ['not compared', undefined, false],
    ['no number', Number.NaN, false],
    ['infinite', Infinity, false],
  ])('fits a lock whose deadline is now %s: %s → %s', (_, now, same) => {
    expect(check(fenceOf(seenUntil(T)), seenUntil(now))).toEqual(same ? { same, endsAt: T } : { same })
  })

  test('that was never fits only what still never ends', () => {
    const fence = fenceOf(seenUntil(null))
    expect(check(fence, seenUntil(null))).toEqual({ same: true, endsAt: null })
    for (const now of [T, -1, Infinity, undefined])
      expect(check(fence, seenUntil(now))).toEqual({ same: false })
  })

  test.each([0, -5, 1.4, T + 0.5, 2 ** 53])('of %d fits itself', deadline => {
    expect(check(fenceOf(seenUntil(deadline)), seenUntil(deadline)).same).toBe(true)
  })

  test.each([Number.NaN, Infinity, -Infinity])('of %d fits nothing, not even itself', deadline => {
    for (const now of [deadline, T, 0, null])
      expect(check(fenceOf(seenUntil(deadline)), seenUntil(now)).same).toBe(false)
  })
})

test('a fence that we did not write fits nothing, and nothing throws', () => {
  const plain = make('a', 'x', ['p'])
  const dated = make('a', 'x', ['p'], T)
  const digest = fenceOf(plain)
  const good = T.toString(36)
  const bad = [
    '',
    '.',
    '..',
    '...',
    'never',
    `.${good}`,
    `${digest}.`,
    `${digest}..`,
    `${digest}.${good}.`,
    `${digest}.${good}.x`,
    `${digest}.NaN`,
    `${digest}.nan `,
    `${digest}.Infinity`,
    `${digest}.${good}!`,
    `${digest}. ${good}`,
    `${digest}.0${good}`,
    `${digest}.+${good}`,
    `${digest}.${good.toUpperCase()}`,
    `${digest}.NEVER`,
    `${digest}.never.never`,
    `${digest}.zz-zz`,
    `${digest}.${'z'.repeat(10_000)}`,
    `${digest.slice(1)}.${good}`,
    `${digest}0.${good}`,
    digest.toUpperCase(),
    ` ${digest}`,
    'z'.repeat(32),
    'a'.repeat(100_000),
    '\ud800',
    '__proto__',
    digest.slice(0, 31),
  ]
  for (const fence of bad)
    for (const made of [plain, dated, make('a', 'x', ['p'], null)])
      if (fence !== fenceOf(made)) expect(check(fence, made), fence.slice(0, 80)).toEqual({ same: false })
})

function make(format: string, id: string, exact: Part[], endsAt?: number | null): Made {
  return { format, id, seen: endsAt === undefined ? { exact } : { exact, endsAt } }
}
function fenceOf({ format, id, seen }: Made): string {
  return makeFence(format, id, seen)
}
function check(fence: string, { format, id, seen }: Made) {
  return checkFence(fence, format, id, seen)
}
