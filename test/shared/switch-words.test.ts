import { describe, expect, it } from 'vitest'
import { allKinds, kindOf } from '../../shared/kinds.ts'
import { type SideNow, SWITCH_STEPS, type SwitchNow, type SwitchRun } from '../../shared/switch.ts'
import { providerDifferences } from '../../shared/switch-providers.ts'
import { checkSentence, namedApart, providerLine, STEP_WORDS, stepPlace } from '../../shared/switch-words.ts'

const KINDS = allKinds().map(({ id }) => id)

const side = (kind: string) => ({ storeId: null, storeName: `my ${kind}`, address: kind, kind })
const sides = (from: string, to: string) => ({ from: side(from), to: side(to) })

const UNKNOWN: SideNow = {
  ...{ status: 'stale', error: null, server: null, offsetMs: null, latencyMs: null, held: null },
  ...{ holds: null, latencySamples: 0, isMeasured: false },
  ...{ expired: null, noExpiry: null, unrecognised: null, acquiredPerMinute: null, medianHoldMs: null },
}

function seen(from: Partial<SideNow>, to: Partial<SideNow>): SwitchNow {
  return { from: { ...UNKNOWN, ...from }, to: { ...UNKNOWN, ...to } } as SwitchNow
}

describe('every step', () => {
  it.each(SWITCH_STEPS)('%s says what to do and what its check requires, for all providers', step => {
    const { title, check, instruction } = STEP_WORDS[step]
    expect(title).toMatch(/^[A-Z]/)
    expect(check).toMatch(/^[A-Z].*\.$/)
    for (const from of KINDS)
      for (const to of KINDS) {
        expect(instruction(sides(from, to))).toMatch(/^[A-Z].*\.$/)
        expect(instruction(sides(from, to))).not.toMatch(/null|undefined|, {2}/)
      }
    expect(stepPlace(step)).toMatch(/^\d of 7$/)
  })

  it('names the exact line to change, or what changes instead', () => {
    expect(providerLine(sides('redis', 'mysql'))).toBe('LOCK_PROVIDER=mysql')
    expect(STEP_WORDS.change.instruction(sides('redis', 'mysql'))).toContain('Set LOCK_PROVIDER=mysql')
    expect(providerLine(sides('redis', 'redis'))).toBeNull()
    for (const name of kindOf('redis').variables)
      expect(STEP_WORDS.change.instruction(sides('redis', 'redis'))).toContain(name)
  })

  it('escapes the names that it repeats', () => {
    const hostile = { from: { ...side('redis'), storeName: '\u001b[2J' }, to: side('mysql') }
    for (const step of SWITCH_STEPS) expect(STEP_WORDS[step].instruction(hostile)).not.toContain('\u001b')
  })
})

it('locks that will not end soon are counted apart from the rest', () => {
  const stuck = { why: 'far-away', endsAt: null }
  const ends = { why: 'ends', endsAt: 1000 }
  const said = (held: number, remaining: readonly object[] = [stuck]) =>
    checkSentence(
      'drain',
      sides('redis', 'mysql') as SwitchRun,
      {
        ...seen({ status: 'live', held }, {}),
        ...{ at: 0, remaining, checks: { drain: { is: 'not-yet', since: 0 } } },
      } as unknown as SwitchNow,
    )
  expect(said(1)).toBe('1 lock is held in my redis, and will not end soon.')
  expect(said(3, [stuck, ends, ends])).toBe('3 locks are held in my redis; 1 of them will not end soon.')
  // Not all are told: there may be more of that kind.
  expect(said(3)).toBe('3 locks are held in my redis; at least 1 of them will not end soon.')
})

it.each<[SideNow['status'], SideNow['status'], RegExp]>([
  ['down', 'closed', /^my mysql is not open here/],
  ['closed', 'down', /^my redis is not open here/],
  ['closed', 'closed', /^my redis is not open here/],
  ['down', 'down', /^my redis cannot be read/],
  ['live', 'down', /^my mysql cannot be read/],
])('with the old store %s and the new one %s, the sentence says what to do first', (from, to, sentence) => {
  const error = { code: 'STORE_UNREACHABLE', message: 'no answer' } as const
  const sideNow = (status: SideNow['status']) => ({ status, error: status === 'down' ? error : null })
  const checks = { understand: { is: 'unknown', since: 0 }, verify: { is: 'unknown', since: 0 } }
  const now = { ...seen(sideNow(from), sideNow(to)), checks } as SwitchNow
  for (const step of ['understand', 'verify'] as const)
    expect(checkSentence(step, sides('redis', 'mysql') as SwitchRun, now)).toMatch(sentence)
})

describe('the difference between two providers', () => {
  it.each(KINDS)('%s has advantages and considerations', kind => {
    const { advantages, considerations } = kindOf(kind)
    for (const sentence of [...advantages, ...considerations]) expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(advantages.length * considerations.length).toBeGreaterThan(0)
  })

  it('is described by the numbers of this system', () => {
    const now = seen(
      {
        ...{ latencyMs: 0.4, latencySamples: 5, held: 12, expired: 3, noExpiry: 2 },
        ...{ acquiredPerMinute: 60, unrecognised: 1 },
      },
      { latencyMs: 18, latencySamples: 3, held: 0, expired: 0, noExpiry: 0, offsetMs: -4000 },
    )
    const { numbers, means } = providerDifferences(sides('redis', 'dynamodb'), now)
    expect(numbers).toContainEqual({ what: 'Held now', from: '12', to: '0' })
    expect(numbers).toContainEqual({ what: 'Clock', from: null, to: '4.0 s behind' })
    expect(means).toEqual([
      'From here, an answer takes 18 ms instead of 0.4 ms.',
      'At the present pace that is about 259,200 requests a day that are paid for, more with waiting and renewing.',
      '3 expired locks are still stored in the old one, and cleaned away on the way.',
      'From then on expired items stay visible for hours, and mean nothing.',
      expect.stringContaining('2 locks have no expiry now. In DynamoDB'),
      expect.stringContaining('4.0 s behind'),
      '1 record of the old store is unrecognized, and not counted as a lock.',
    ])
  })

  it('is not concluded from one or two samples', () => {
    const said = (old: number, fresh: number) =>
      providerDifferences(
        sides('redis', 'mysql'),
        seen({ latencyMs: 6.3, latencySamples: old }, { latencyMs: 0.5, latencySamples: fresh }),
      ).means.join(' ')
    expect([said(1, 5), said(5, 2)].join(' ')).not.toContain('From here')
    expect(said(3, 3)).toContain('From here, an answer takes 0.5 ms instead of 6.3 ms.')
  })

  it('leaves out unknown numbers', () => {
    for (const from of KINDS)
      for (const to of KINDS) {
        const { numbers, means } = providerDifferences(sides(from, to), seen({}, {}))
        expect(numbers.every(row => row.from === null && row.to === null)).toBe(true)
        expect(means.join(' ')).not.toMatch(/\d/)
      }
  })
})

describe('two stores with one name', () => {
  const at = (storeName: string, address: string) => ({ ...side('mysql'), storeName, address })
  const host = 'locks.c9akciq32example.eu-west-1.rds.amazonaws.com'
  const run = (from: ReturnType<typeof at>, to: ReturnType<typeof at>) =>
    namedApart({ from, to } as SwitchRun)

  it('are distinguished by their addresses, however long they are', () => {
    const [one, other] = ['old_locks', 'new_locks'].map(
      table => `mysql://operations@${host}:3306/application?table=${table}`,
    ) as [string, string]
    const said = STEP_WORDS.understand.instruction(run(at('app', one), at('app', other)))
    expect(said).toContain(`from ${one} to ${other}.`)
  })

  it('keep their names if these differ', () => {
    const said = STEP_WORDS.understand.instruction(run(at('old', 'mysql://a/d'), at('new', 'mysql://b/d')))
    expect(said).toContain('from old to new.')
  })
})
