import { expect, it } from 'vitest'
import { refusalLog } from '../../../electron/hosts/http/refusal.ts'

it('counts a flood of refusals instead of logging each', () => {
  const lines: string[] = []
  let now = 0
  const log = refusalLog(
    line => lines.push(line),
    () => now,
  )
  for (let i = 0; i < 25; i++) log('GET', '/', 'why')
  expect(lines).toHaveLength(20)
  now = 10_000
  log('GET', '/', 'why')
  expect(lines.slice(20)).toEqual(['5 more requests were refused', 'refused GET /: why'])
})

it.each([
  ['/launch#secret-token', '/launch'],
  ['/frames?screen=secret-token', '/frames'],
  ['/\x1b[31m', '/\\x1b[31m'],
])('shows the path %j as %j', (url, shown) => {
  const lines: string[] = []
  refusalLog(line => lines.push(line))('GET', url, 'why')
  expect(lines).toEqual([`refused GET ${shown}: why`])
})
