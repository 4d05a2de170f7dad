import { Redis } from 'ioredis'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { race } from '../../../contract/race.ts'
import { redisHarness } from '../../../contract/redis-harness.ts'

it('never removes a lock whose fence was not given, for an account that may not run scripts', async () => {
  const harness = await redisHarness.open()
  const admin = new Redis({ port: inject('redisPort') })
  await admin.call('ACL', ['SETUSER', 'watcher', 'on', '>look', '~*', '&*', '+@all', '-@scripting'])
  const store = await openStore(harness.store.address.replace('//', '//watcher:look@'), undefined)
  onTestFinished(async () => {
    await store.close()
    await harness.close()
    admin.disconnect()
  })
  const { removedWrongly, released, changed, gone } = await race({ ...harness, store }, 200, {
    operators: 4,
    // Each release makes a connection of its own and takes that much longer.
    holderPauseMs: 60,
    operatorPauseMs: 10,
  })
  expect(removedWrongly).toEqual([])
  expect(released + changed + gone).toBeGreaterThanOrEqual(200)
  expect(Math.min(released, changed)).toBeGreaterThan(0)
})
