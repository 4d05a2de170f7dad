import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SWITCH_STEPS } from '../../../../shared/switch.ts'
import { auditText } from '../audit/lines.ts'
import { envFile, switching } from './switching.ts'
import { acquireUntil, type Provider, workPlace } from './work-places.ts'

const PROVIDERS: Provider[] = ['redis', 'mysql', 'dynamodb']
const WAYS = PROVIDERS.flatMap(from => PROVIDERS.filter(to => to !== from).map(to => [from, to] as const))

async function walk(fromKind: Provider, toKind: Provider) {
  const [from, to] = [await workPlace(fromKind), await workPlace(toKind)]
  await from.hold('GPS')
  await from.hold('LEFT', 'dead', -60_000)
  const s = await switching(from, to)
  await s.go('understand')
  expect(s.seen().now.from.held).toBe(1)
  await s.go('stop')
  expect(s.check('drain')).toBe('not-yet')
  expect(s.seen().now.remaining).toMatchObject([{ key: expect.stringContaining('GPS'), why: 'far-away' }])
  await from.free('GPS')
  await s.go('drain')

  const file = envFile(`SECRET=x\nLOCK_PROVIDER=${fromKind}\n`)
  expect(s.check('change')).toBe('unknown')
  await s.changeEnv(file)
  expect(readFileSync(file, 'utf8')).toBe(`SECRET=x\nLOCK_PROVIDER=${toKind}\n`)
  await s.go('change')

  expect(s.check('clean')).toBe('not-yet')
  const { planId } = await s.clean()
  await s.go('clean')
  expect(await from.names()).toEqual([])

  expect(s.check('restart')).not.toBe('met')
  await acquireUntil(to, () => s.check('restart') === 'met')
  await s.go('restart', 'verify')
  const run = await s.run()
  expect(run).toMatchObject({ ended: { how: 'finished' }, planIds: [planId], strays: [], splits: [] })
  expect(run.passed.map(({ step, checked }) => [step, checked])).toEqual(
    SWITCH_STEPS.map(step => [step, true]),
  )
  expect(run.envChanges).toMatchObject([{ file, before: fromKind, after: toKind }])
  const passed = auditText(s.folder).match(/"method":"switch.pass"[^\n]*"outcome":"done"/g)
  expect(passed).toHaveLength(7)
}

// All six at once: most of the time goes by waiting for quiet.
it('every check is met by itself, from any provider to any other', async () => {
  const ways = await Promise.allSettled(WAYS.map(([from, to]) => walk(from, to)))
  const failed = ways.flatMap((way, i) =>
    way.status === 'fulfilled' ? [] : [`${WAYS[i]?.join(' to ')}: ${way.reason}`],
  )
  expect(failed).toEqual([])
})
