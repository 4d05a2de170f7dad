import { expect, it } from 'vitest'
import { workPlace } from '../../../core/features/switch/work-places.ts'
import { operator } from '../plans/plan-cli.ts'

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

it('lists switches with times in ISO 8601', async () => {
  const [from, to] = await Promise.all([workPlace('redis'), workPlace('mysql')])
  await from.hold('GPS')
  await to.hold('GPS')
  const o = operator()
  const reason = ['--reason', 'both are mine']
  await o.run('switch', from.address, to.address, '--quiet', '1s', '--pass', 'drain', ...reason)
  const list = () => o.run('switch', '--list', '--json')
  const [run] = (await list()).json()['switches'] as [Record<string, unknown>]
  expect(run).toMatchObject({
    ...{ begunAt: ISO, ended: null, quietMs: 1000 },
    passed: [{ at: ISO }, { at: ISO }, { at: ISO, step: 'drain', reason: 'both are mine' }],
    splits: [{ since: ISO, until: null }],
    from: { address: from.address, kind: 'redis' },
  })
  const ended = await o.run('switch', '--abandon', String(run['switchId']), ...reason, '--json')
  expect(ended.json()).toMatchObject({ ended: { at: ISO, how: 'abandoned' } })
  // No number is left that would be a time.
  expect((await list()).stdout).not.toMatch(/:\d{13}\b/)
})
