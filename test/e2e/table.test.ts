import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { openConsole } from './console.ts'
import { mysqlPlace, rechargeJson, takeRow } from './places.ts'
import { keysInView, screen } from './screen.ts'

const HOUR_MS = 3_600_000

async function fiveLocks() {
  const redis = await redisPlace()
  await redis.client.mset({
    'lockRecharge:auction:8841': rechargeJson('worker-3', 2 * HOUR_MS, 3 * HOUR_MS),
    'lockRecharge:stuck': rechargeJson('worker-4', -600_000, 2 * HOUR_MS),
    'lockRecharge:fresh': rechargeJson('worker-5'),
  })
  const mysql = await mysqlPlace()
  await takeRow(mysql.database, 'row-a', 'worker-6')
  await takeRow(mysql.database, 'row-b', 'worker-7')
  const console = await openConsole('web', {
    stores: [
      { name: 'alpha', address: redis.address },
      { name: 'beta', address: mysql.address },
    ],
  })
  await expect.poll(() => screen.rows(console.page).count()).toBe(5)
  return { ...console, redis }
}

/** The row that the grid calls active; it must be in the page. */
async function activeRow(page: Page): Promise<{ key: string; index: number }> {
  const found = await screen.grid(page).evaluate(grid => {
    const row = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')
    return (
      row && {
        key: row.querySelector('[data-column="key"]')?.textContent,
        index: row.getAttribute('aria-rowindex'),
      }
    )
  })
  if (!found) throw new Error('the active row is not in the page')
  return { key: found.key ?? '', index: Number(found.index) }
}

describe('the table', () => {
  it('filters, counts the matches, and says when there is none', async () => {
    const { page } = await fiveLocks()
    const filter = screen.filter(page)
    const title = page.getByRole('heading', { level: 1 })
    const shows = async (text: string, ...keys: string[]) => {
      await filter.fill(text)
      await expect.poll(async () => (await keysInView(page)).sort()).toEqual(keys.sort())
      expect(await title.innerText()).toContain(`${keys.length} of 5`)
    }
    await shows('state:expired', 'lockRecharge:stuck')
    await shows('owner:worker-3', 'lockRecharge:auction:8841')
    await shows('store:beta', 'row-a', 'row-b')
    await shows('age>1h', 'lockRecharge:auction:8841', 'lockRecharge:stuck')
    await shows('auction:8841', 'lockRecharge:auction:8841')
    await shows('-store:beta -state:expired', 'lockRecharge:auction:8841', 'lockRecharge:fresh')
    await shows('nothing like it')
    await page.getByRole('heading', { name: 'No lock matches' }).waitFor()
    await page.getByText('5 locks are hidden by the filter').waitFor()
    await filter.press('Escape')
    expect(await filter.inputValue()).toBe('')
    await expect.poll(() => screen.rows(page).count()).toBe(5)
    await filter.fill('state:sideways')
    await page.getByText('Unrecognized filter “sideways”; ignored').waitFor()
    await filter.fill('')
    await page.getByRole('button', { name: '1 expired, still stored' }).click()
    expect(await filter.inputValue()).toBe('state:expired')
  })

  it('sorts by every column, and hides one', async () => {
    const { page } = await fiveLocks()
    const heads = page.getByRole('columnheader')
    const attention = await keysInView(page)
    expect(attention[0]).toBe('lockRecharge:stuck')
    for (const name of ['State', 'Key', 'Holder', 'Store', 'Format', 'Age', 'Remaining']) {
      const head = heads.filter({ hasText: new RegExp(`^${name}$`) })
      expect(await head.getAttribute('aria-sort')).toBe('none')
      const [first, second] = name === 'Age' ? ['descending', 'ascending'] : ['ascending', 'descending']
      await head.getByRole('button').click()
      expect(await head.getAttribute('aria-sort')).toBe(first)
      if (name === 'Key') expect(await keysInView(page)).toEqual([...attention].sort())
      await head.getByRole('button').click()
      expect(await head.getAttribute('aria-sort')).toBe(second)
      if (name === 'Key') expect(await keysInView(page)).toEqual([...attention].sort().reverse())
    }
    await heads
      .filter({ hasText: /^Remaining$/ })
      .getByRole('button')
      .click()
    expect(await keysInView(page)).toEqual(attention)

    const count = Number(await screen.grid(page).getAttribute('aria-colcount'))
    expect(await heads.count()).toBe(count)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Format' }).click()
    await page.keyboard.press('Escape')
    expect(await heads.count()).toBe(count - 1)
    expect(await screen.grid(page).getAttribute('aria-colcount')).toBe(String(count - 1))
    await page.reload()
    await heads.first().waitFor()
    expect(await heads.filter({ hasText: /^Format$/ }).count()).toBe(0)
  })

  it('keeps the selection while locks change', async () => {
    const { page, redis } = await fiveLocks()
    await screen.grid(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Space')
    const row = screen.row(page, 'lockRecharge:stuck')
    expect(await row.getAttribute('aria-selected')).toBe('true')
    await redis.client.set('lockRecharge:stuck', rechargeJson('worker-9'))
    await screen.row(page, 'worker-9').waitFor()
    expect(await row.getAttribute('aria-selected')).toBe('true')
    await page.getByText(/^1 selected/).waitFor()
    await redis.client.del('lockRecharge:stuck')
    await expect.poll(() => row.count()).toBe(0)
    await expect.poll(() => page.getByText(/^1 selected/).count()).toBe(0)
  })
})

describe('the keys', () => {
  it('do everything without a mouse', async () => {
    const redis = await redisPlace()
    const keys = Array.from({ length: 60 }, (_, i) => `lockRecharge:${String(i).padStart(2, '0')}`)
    // All with the same deadline, so that they are in the order of their keys.
    const value = rechargeJson('worker')
    await redis.client.mset(Object.fromEntries(keys.map(key => [key, value])))
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
    })
    const grid = screen.grid(page)
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('61')
    await page.keyboard.press('/')
    expect(await screen.filter(page).evaluate(input => input === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await grid.evaluate(element => element === document.activeElement)).toBe(true)

    const goes = async (key: string, to: number) => {
      await page.keyboard.press(key)
      await expect.poll(() => activeRow(page)).toEqual({ key: keys[to], index: to + 2 })
    }
    await goes('ArrowDown', 0)
    await goes('ArrowDown', 1)
    await goes('ArrowUp', 0)
    await page.keyboard.press('PageDown')
    const jumped = (await activeRow(page)).index - 2
    expect(jumped).toBeGreaterThan(10)
    await goes('PageUp', 0)
    await goes('End', 59)
    await goes('ArrowDown', 59)
    await goes('Home', 0)

    await page.keyboard.press('Space')
    expect(await screen.row(page, keys[0] as string).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await screen
      .inspector(page)
      .getByRole('heading', { level: 2, name: keys[0] as string })
      .waitFor()
    await page.keyboard.press('Escape')
    expect(await screen.inspector(page).count()).toBe(0)
    await page.keyboard.press('?')
    await screen.dialog(page, 'Keys').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Delete')
    await screen
      .dialog(page, 'Release lock')
      .getByText(keys[0] as string)
      .waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('only expired')
    await page.keyboard.press('Enter')
    expect(await screen.filter(page).inputValue()).toBe('state:expired')
    expect(problems).toEqual([])
  })

  it('still have an active row when it was scrolled out of sight', async () => {
    const redis = await redisPlace()
    const value = rechargeJson('worker')
    const keys = Array.from({ length: 300 }, (_, i) => `lockRecharge:${String(i).padStart(3, '0')}`)
    await redis.client.mset(Object.fromEntries(keys.map(key => [key, value])))
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await expect.poll(() => screen.grid(page).getAttribute('aria-rowcount')).toBe('301')
    await screen.grid(page).focus()
    await page.keyboard.press('Home')
    await screen.row(page, keys[0] as string).hover()
    await page.mouse.wheel(0, 6000)
    await screen.row(page, keys[230] as string).waitFor()
    expect(await activeRow(page)).toEqual({ key: keys[0], index: 2 })
  })
})
