import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { inspect, screen } from './screen.ts'

/** The page may not read the clipboard, so it is pasted as an operator would. */
async function pasted(page: Page): Promise<string> {
  await screen.filter(page).fill('')
  await screen.filter(page).press('Control+v')
  return screen.filter(page).inputValue()
}

describe('the inspector', () => {
  it('states the facts, shows the raw value, and copies the command', async () => {
    const redis = await redisPlace()
    const value = rechargeJson('worker-7', -600_000)
    await redis.client.set('lockRecharge:card', value)
    const { page } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
      context: { permissions: ['clipboard-write'] },
    })
    const inspector = await inspect(page, 'lockRecharge:card')
    await inspector
      .getByText(/worker-7.*expired|expired.*worker-7|ended/i)
      .first()
      .waitFor()
    await inspector.getByText('Deletes the key if its value is still exactly the one shown.').waitFor()
    await inspector.getByText('Fields', { exact: true }).click()
    expect(await inspector.innerText()).toContain('lockId')

    const raw = inspector.getByRole('region', { name: /^Raw value/ })
    await raw.getByText(value.slice(0, 30)).waitFor()
    await raw.getByRole('button', { name: 'Hex' }).click()
    await raw
      .getByText(
        Buffer.from(value.slice(0, 8))
          .toString('hex')
          .replace(/..(?!$)/g, '$& '),
      )
      .waitFor()

    await inspector.getByRole('button', { name: 'Copy command' }).click()
    await inspector.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await pasted(page)).toMatch(/^redis-cli .*lockRecharge:card/)
    await inspector.getByRole('button', { name: 'Copy key' }).click()
    await expect.poll(() => pasted(page)).toBe('lockRecharge:card')
    await screen.filter(page).fill('')

    await redis.client.del('lockRecharge:card')
    await inspector.getByText('This lock is gone.').waitFor()
  })

  it('counts renewals and keeps a renewed lock the same', async () => {
    const redis = await redisPlace()
    const key = 'pipeline_lock:acme:close'
    await redis.client.set(key, randomUUID(), 'PX', 3_600_000)
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    const inspector = await inspect(page, key)
    await inspector.getByText('0 renewals, 1 holder').waitFor()
    for (const renewals of ['1 renewal,', '2 renewals,']) {
      // The screen reads every second: two renewals in one of them would look like one.
      await sleep(1200)
      await redis.client.pexpire(key, 3_600_000)
      await inspector.getByText(renewals).waitFor()
    }
    const age = await screen.cell(screen.row(page, key), 'age').innerText()
    expect(Number(/(\d+) s/.exec(age)?.[1])).toBeGreaterThanOrEqual(2)
    await redis.client.set(key, randomUUID(), 'PX', 3_600_000)
    await inspector.getByText('2 holders').waitFor()
  })

  it('shows the beginning of a huge value only', async () => {
    const redis = await redisPlace()
    await redis.client.set('big:one', `${'x'.repeat(5 * 1024 * 1024)}end`)
    const { page } = await openConsole('web', {
      stores: [{ name: 'cache', address: `${redis.address}?match=big:*&format=token` }],
    })
    await page.getByRole('button', { name: '1 record not understood' }).click()
    const dialog = screen.dialog(page, 'Records not understood')
    await dialog.getByRole('button', { name: 'big:one' }).click()
    const inspector = screen.inspector(page)
    await inspector.getByText(/The first .* of 5\.0 MB\./).waitFor()
    expect(await inspector.locator('*').count()).toBeLessThan(500)
    await inspector.getByRole('button', { name: 'Show all 5.0 MB' }).click()
    await inspector.getByText(/The first .* of 5\.0 MB\./).waitFor({ state: 'detached' })
    await inspector.getByRole('group', { name: 'value', exact: true }).press('End')
    await inspector.getByText('xend', { exact: false }).waitFor()
    expect(await inspector.locator('*').count()).toBeLessThan(500)
    await inspector.getByRole('button', { name: 'Release…' }).click()
    await screen.dialog(page, 'Release lock').getByText('too large to be listed').waitFor()
  })
})
