import { describe, expect, test } from 'vitest'
import { attemptsOf, type Line } from './history.ts'
import { judgeHistory } from './judge-history.ts'

const LATE = { lateMs: 0 }
const ask = (n: number, at: number): Line => ({ is: 'ask', n, key: 'k', at, ttlMs: 1000 })
const taken = (n: number, at: number, expiresAt: number, fencing: number | null = null): Line => ({
  is: 'taken',
  n,
  at,
  fencing,
  expiresAt,
})
const givenBack = (n: number, from: number, to: number, ok = true): Line[] => [
  { is: 'let-go', n, at: from },
  { is: 'released', n, at: to, ok },
]
const judge = (...histories: readonly (readonly Line[])[]) =>
  judgeHistory(
    histories.flatMap((lines, i) => attemptsOf(`w${i}`, lines)),
    LATE,
  ).wrongs

describe('the judge of a history', () => {
  test('finds nothing wrong with holders that follow each other', () => {
    expect(
      judge(
        [ask(1, 0), taken(1, 10, 1010), ...givenBack(1, 100, 110)],
        [ask(1, 50), taken(1, 108, 1108), ...givenBack(1, 200, 210)],
      ),
    ).toEqual([])
  })

  test('detects two certain holders at once', () => {
    expect(
      judge(
        [ask(1, 0), taken(1, 10, 1010), ...givenBack(1, 100, 110)],
        [ask(1, 20), taken(1, 30, 1030), ...givenBack(1, 60, 70)],
      ),
    ).toMatchObject([expect.stringContaining('both held it')])
  })

  test('detects a holder within the tenure of a longer one', () => {
    expect(
      judge(
        [ask(1, 0), taken(1, 10, 5000), ...givenBack(1, 900, 910)],
        [ask(1, 20), taken(1, 30, 1030), ...givenBack(1, 60, 70)],
        [ask(1, 200), taken(1, 210, 1210), ...givenBack(1, 260, 270)],
      ),
    ).toHaveLength(2)
  })

  test('counts a killed program as holder for its granted lease', () => {
    expect(judge([ask(1, 0), taken(1, 10, 1000)], [ask(1, 500), taken(1, 510, 1510)])).toHaveLength(1)
    expect(judge([ask(1, 0), taken(1, 10, 1000)], [ask(1, 1000), taken(1, 1010, 2010)])).toEqual([])
  })

  test('trusts guarded work past the end of a lease', () => {
    const work = (lost: boolean): Line[] => [
      ask(1, 0),
      taken(1, 10, 1000),
      { is: 'guarded', n: 1, at: 3000, workedUntil: 2990, lost },
    ]
    const other = [ask(1, 1500), taken(1, 1510, 2510), ...givenBack(1, 1600, 1610)]
    expect(judge(work(false), other)).toHaveLength(1)
    expect(judge(work(true), other)).toEqual([])
  })

  test('requires a reason for every refusal', () => {
    const refused = (at: number): Line[] => [ask(1, at), { is: 'refused', n: 1, at: at + 5 }]
    const holder = [ask(1, 0), taken(1, 10, 1010), ...givenBack(1, 100, 110)]
    expect(judge(holder, refused(50))).toEqual([])
    expect(judge(holder, refused(105))).toEqual([])
    expect(judge(holder, refused(500))).toMatchObject([expect.stringContaining('nobody can have held it')])
    // Somebody who was killed while asking may have got it.
    expect(judge([ask(1, 0)], refused(500))).toEqual([])
    expect(judge([ask(1, 0)], refused(3500))).toHaveLength(1)
  })

  test('leaves a program that was paused before it was killed the time until then to take or extend its lock', () => {
    const refused = (at: number): Line[] => [ask(1, at), { is: 'refused', n: 1, at: at + 5 }]
    const killed =
      (...lines: readonly Line[]) =>
      (at: number) =>
        judgeHistory([...attemptsOf('killed', lines, 6000), ...attemptsOf('w', refused(at))], LATE).wrongs
    for (const judged of [killed(ask(1, 0)), killed(ask(1, 0), taken(1, 10, 1010))]) {
      expect(judged(7900)).toEqual([])
      expect(judged(8100)).toMatchObject([
        expect.stringMatching(/nobody can have held it, killed\/1 .* 98\.0 ms/),
      ])
    }
  })

  test('requires rising numbers', () => {
    const first = [ask(1, 0), taken(1, 10, 1010, 7), ...givenBack(1, 20, 30)]
    const second = (fencing: number) => [ask(1, 100), taken(1, 110, 1110, fencing), ...givenBack(1, 120, 130)]
    expect(judge(first, second(8))).toEqual([])
    expect(judge(first, second(7))).toMatchObject([expect.stringContaining('number 7 after')])
  })

  test('counts the attempts', () => {
    const attempts = attemptsOf('w', [
      ask(1, 0),
      taken(1, 10, 1010),
      { is: 'renewed', n: 1, at: 20, ok: true, expiresAt: 1020 },
      ...givenBack(1, 30, 40),
      ask(2, 50),
    ])
    expect(judgeHistory(attempts, LATE).counts).toMatchObject({ operations: 4, taken: 1, unknown: 1 })
  })
})
