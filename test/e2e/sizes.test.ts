import { describe, expect, it, onTestFinished } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { openConsole } from './console.ts'
import { manyLocks } from './many.ts'
import { rechargeJson } from './places.ts'
import { screen } from './screen.ts'

describe('a table', () => {
  it('without locks says that there are none, until there are', async () => {
    const redis = await redisPlace()
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await page.getByRole('heading', { name: 'No locks here' }).waitFor()
    for (let i = 0; i < 5; i++) await redis.client.set(`lockRecharge:${i}`, rechargeJson(`worker-${i}`))
    await expect.poll(() => screen.rows(page).count()).toBe(5)
    expect(await screen.grid(page).getAttribute('aria-rowcount')).toBe('6')
    expect(await page.getByRole('heading', { name: 'No locks here' }).count()).toBe(0)
  })

  it('of 10,000 locks counts them all and draws those in view', async () => {
    const many = await manyLocks(3334)
    onTestFinished(many.close)
    const { page, problems } = await openConsole('web', { stores: many.stores })
    const grid = screen.grid(page)
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('10003')
    expect(await screen.rows(page).count()).toBeLessThan(80)
    await grid.focus()
    await page.keyboard.press('End')
    const last = screen.rows(page).and(page.locator('[aria-rowindex="10003"]'))
    await last.waitFor()
    expect(await grid.getAttribute('aria-activedescendant')).toBe(await last.getAttribute('id'))
    expect(await screen.rows(page).count()).toBeLessThan(80)
    await screen.filter(page).fill('pipeline-3333')
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('2')
    await page.getByRole('heading', { level: 1 }).getByText('1 of 10,002').waitFor()
    expect(problems).toEqual([])
  })
})
