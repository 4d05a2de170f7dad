import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { redisPlace } from '../../stores/redis/place.ts'
import { openConsole, profile } from '../console.ts'

it.each([
  ['deleted', (path: string) => rmSync(path)],
  ['emptied', (path: string) => writeFileSync(path, JSON.stringify({ version: 1, runs: [] }))],
])('if the file of switches is %s, their streams end and nothing else does', async (_, lose) => {
  const c = openConsole()
  const storeIds: string[] = []
  for (const name of ['old', 'new', 'third']) {
    const { address } = await redisPlace()
    const { storeId } = await c.ask('stores.add', { profile: profile({ name, address }) })
    storeIds.push(storeId)
  }
  const [fromStoreId = '', toStoreId = '', third = ''] = storeIds
  const { switchId } = await c.ask('switch.begin', { fromStoreId, toStoreId })
  const ends: unknown[] = []
  let events = 0
  c.client.open(
    'switch.watch',
    { switchId },
    () => events++,
    end => ends.push(end),
  )
  await expect.poll(() => events).toBeGreaterThan(0)
  lose(join(c.folder, 'switches.json'))
  await expect.poll(() => c.ask('switch.list', {})).toEqual([])
  expect((await c.ask('switch.begin', { fromStoreId: toStoreId, toStoreId: third })).step).toBe('understand')
  await expect.poll(() => ends).toMatchObject([{ ok: false, error: { code: 'NOT_FOUND' } }])
  await c.close()
})
