import { expect, it } from 'vitest'
import { Progress } from '../../../electron/core/stores/progress.ts'

it.each([1, 2, 7, 1000])('a list that returns to where it was after %i pages ends', length => {
  const progress = new Progress()
  let page = 0
  const walk = () => {
    for (; page < 10 * length + 100; page++)
      progress.to(page < 50 ? `start ${page}` : `circle ${page % length}`)
  }
  expect(walk).toThrow('the same position in the list twice')
})

it('a list whose positions are all different goes on', () => {
  const progress = new Progress()
  for (let page = 0; page < 100_000; page++) progress.to(String(page))
})
