import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Redis } from 'ioredis'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { freePort } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { inspect, screen, storeAction } from './screen.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  id: string
  impact: string | null
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** What axe calls serious or critical, in light and dark, wide and narrow; of a dialog, which looks alike, in two of the four. */
async function troubles(
  page: Page,
  where: string,
  widths = { light: [1280, 700], dark: [1280, 700] },
): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of widths[colorScheme]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 800 })
      const violations = (await page.evaluate(
        '(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations)()',
      )) as Violation[]
      for (const { id, impact, nodes } of violations) {
        if (impact !== 'serious' && impact !== 'critical') continue
        const real = nodes.filter(node => !(id === 'scrollable-region-focusable' && isGridBody(node.target)))
        if (real.length === 0) continue
        const which = real.map(node => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')
        found.push(`${where}, ${colorScheme}, ${width}: ${id}: ${which}`)
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

/** The grid around it has the focus, and its keys scroll it; axe does not see that. */
function isGridBody(target: readonly unknown[]): boolean {
  return /(^|> )\.grid-body(\[role="rowgroup"\])?$/.test(target.join(' '))
}

describe('everybody can use', () => {
  it('the table, the inspector and every dialog', { timeout: 90_000 }, async () => {
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
    await page.evaluate(AXE)
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

  it('the screens of stores that are empty, down or denied', { timeout: 60_000 }, async () => {
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
    await page.evaluate(AXE)
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
