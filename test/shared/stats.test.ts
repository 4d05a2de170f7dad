import { expect, test } from 'vitest'
import { ratesOf } from '../../shared/stats.ts'

const MINUTE = 60_000
const flows = (taken: number) => ({ taken, passedOn: 0, renewed: 2 * taken, freed: 0, lapsed: 0 })

test('the rate of several stores is the sum of their rates', () => {
  const old = { flows: flows(60), observedMs: 60 * MINUTE }
  const young = { flows: flows(20), observedMs: 2 * MINUTE }
  expect(ratesOf([old, young])).toEqual({ taken: 11, passedOn: 0, renewed: 22, freed: 0, lapsed: 0 })
})

test('an unobserved store does not change the rate', () => {
  const away = { flows: flows(0), observedMs: 0 }
  expect(ratesOf([{ flows: flows(3), observedMs: MINUTE }, away])?.taken).toBe(3)
  expect(ratesOf([away])).toBeNull()
  expect(ratesOf([])).toBeNull()
})

test('a store observed for seconds only has no rate, and does not affect the others', () => {
  const moment = { flows: flows(1), observedMs: 4000 }
  expect(ratesOf([moment])).toBeNull()
  expect(ratesOf([{ flows: flows(3), observedMs: MINUTE }, moment])?.taken).toBe(3)
})
