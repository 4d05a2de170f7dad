import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { freePort } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { loadAxe, troubles } from './axe.ts'
import { openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { inspect, screen, storeAction } from './screen.ts'

describe('everybody can use', () => {
  it('the table, the inspector and every dialog', { timeout: 300_000 }, async () => {
    const redis = await redisPlace()
    await redis.client.mset({
      'lockRecharge:held': rechargeJson('worker-1'),
      'lockRecharge:expiring': rechargeJson('worker-2', 60_000, 3_600_000),
      'lockRecharge:expired': rechargeJson('worker-3', -60_000),
      'lockRecharge:endless': JSON.stringify({ lockId: 'worker-4', pid: 1, timestamp: 1 }),
      'lockRecharge:odd': 'not JSON',
    })
    const { page } = await openConsole('web', {
      stores: [
        { name: 'cache', address: redis.address, production: true },
        { name: 'practice', address: 'memory:practice', readOnly: true },
      ],
    })
    await screen.row(page, 'lockRecharge:held').waitFor()
    await loadAxe(page)
    const found = await troubles(page, 'table')
    const dialog = async (name: string, open: () => Promise<void>) => {
      await open()
      await screen.dialog(page, name).waitFor()
      found.push(...(await troubles(page, name, { light: [1280], dark: [700] })))
      await page.keyboard.press('Escape')
      await screen.dialog(page, name).waitFor({ state: 'detached' })
    }
    await dialog('Add a store', () => page.getByRole('button', { name: 'Add a store…' }).click())
    await dialog('Edit store', () => storeAction(page, 'cache', 'Edit…'))
    await dialog('Remove store', () => storeAction(page, 'cache', 'Remove…'))
    await dialog('Records not understood', () => page.getByRole('button', { name: /not understood/ }).click())
    await dialog('Commands', () => page.keyboard.press('Control+k'))
    await dialog('Keys', () => page.keyboard.press('?'))
    const inspector = await inspect(page, 'lockRecharge:expired')
    await inspector.getByRole('region', { name: /^Raw value/ }).waitFor()
    found.push(...(await troubles(page, 'inspector')))
    await dialog('Release lock', () => inspector.getByRole('button', { name: 'Release…' }).click())
    await screen.filter(page).fill('nothing like it')
    await page.getByRole('heading', { name: 'No lock matches' }).waitFor()
    found.push(...(await troubles(page, 'no match')))
    expect(found).toEqual([])
  })

  it('the screens of stores that are empty, down or denied', async () => {
    const empty = await redisPlace()
    const server = await startRedis()
    const client = new Redis({ port: server.port })
    onTestFinished(async () => {
      client.disconnect()
      await server.stop('SIGKILL')
    })
    await client.config('SET', 'requirepass', 'another')
    const { page } = await openConsole('web', {
      stores: [
        { name: 'empty', address: empty.address },
        { name: 'absent', address: `redis://127.0.0.1:${await freePort()}/0` },
        { name: 'guarded', address: `redis://127.0.0.1:${server.port}/0` },
      ],
    })
    await screen.store(page, 'absent').getByText(/down/).waitFor()
    await loadAxe(page)
    const found: string[] = []
    for (const [name, title] of [
      ['empty', 'No locks here'],
      ['absent', 'absent does not answer'],
      ['guarded', 'guarded does not let this account in'],
    ] as const) {
      await screen.store(page, name).getByRole('button').first().click()
      await page.getByRole('heading', { name: title }).waitFor()
      found.push(...(await troubles(page, name)))
    }
    for (const name of ['empty', 'absent', 'guarded']) await storeAction(page, name, 'Close')
    await page.getByRole('heading', { name: 'No store is open' }).waitFor()
    found.push(...(await troubles(page, 'no store')))
    expect(found).toEqual([])
  })
})
