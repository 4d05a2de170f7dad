import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { temporaryFolder } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { HOSTS, openConsole } from './console.ts'
import { manyLocks } from './many.ts'
import { rechargeJson } from './places.ts'
import { inspect, screen } from './screen.ts'
import { asTable, card, cellsOf, coloursIn, figure, openStats } from './stats-screen.ts'

const HOUR_MS = 3_600_000

async function fiveLocks() {
  const redis = await redisPlace()
  await redis.client.mset({
    'lockRecharge:one': rechargeJson('worker-1'),
    'lockRecharge:two': rechargeJson('worker-2'),
    'lockRecharge:stuck': rechargeJson('worker-3', -600_000, 2 * HOUR_MS),
    'lockRecharge:late': rechargeJson('worker-4', 300_000, HOUR_MS),
    'lock:auction:7719': 'a-token-that-nobody-may-read',
  })
  return redis
}

/** A data folder in which nothing can be written to this place: something else has its name. */
async function folderWithout(name: string): Promise<string> {
  const { path, remove } = await temporaryFolder('console')
  onTestFinished(remove)
  await writeFile(join(path, name), '')
  return path
}

describe.each(HOSTS)('statistics, in %s', host => {
  it('are drawn, and the table has the same numbers as the store', async () => {
    const redis = await fiveLocks()
    const { page, problems } = await openConsole(host, {
      stores: [{ name: 'cache', address: redis.address }],
    })
    await screen.row(page, 'lockRecharge:stuck').waitFor()
    await openStats(page)
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('5')
    expect(await figure(page, 'Active').innerText()).toBe('4')
    expect(await figure(page, 'Expired').innerText()).toBe('1')
    expect(await figure(page, 'Expiring').innerText()).toBe('1')
    expect(await figure(page, 'No expiry').innerText()).toBe('1')
    const chart = card(page, 'Locks by state')
    await expect.poll(() => coloursIn(chart)).toBeGreaterThan(5)
    const table = await asTable(page, 'Locks by state')
    const told = { Held: '2', Expiring: '1', Expired: '1', 'No expiry': '1' }
    expect(await cellsOf(table, 0)).toMatchObject(told)

    // What the chart says follows the store.
    await redis.client.set('lockRecharge:three', rechargeJson('worker-9'))
    await expect.poll(() => figure(page, 'Held').innerText()).toBe('3')
    await expect.poll(async () => (await cellsOf(table, 0))['Held']).toBe('3')
    const stores = await cellsOf(card(page, 'Stores').getByRole('table'), 0)
    expect(stores).toMatchObject({ Store: 'cache', Status: 'live', Active: '5', Stored: '6' })
    // A token is nobody's name: it is on no picture and in no table.
    expect(await page.getByRole('main').innerText()).not.toContain('a-token-that-nobody-may-read')
    expect(problems).toEqual([])
  })
})

describe('a chart', () => {
  it('shows the values under the pointer, zooms by dragging, and zooms out', async () => {
    const redis = await fiveLocks()
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
    })
    await screen.row(page, 'lockRecharge:stuck').waitFor()
    await openStats(page)
    const chart = card(page, 'Locks by state')
    const area = chart.locator('.u-over')
    await area.waitFor()
    const legend = chart.locator('div[aria-live]')
    expect(await legend.innerText()).toContain('Now')
    const box = await area.boundingBox()
    if (!box) throw new Error('the chart has no size')
    await page.mouse.move(box.x + box.width - 3, box.y + 40)
    await expect.poll(() => legend.innerText()).toMatch(/\d\d:\d\d:\d\d/)
    await page.mouse.move(box.x + 30, box.y + 40)
    await expect.poll(() => legend.innerText()).toContain('cache was not watched')

    const zoomed = page.getByRole('button', { name: /Show all of it/ })
    // A slow page may miss a drag; an operator would repeat it.
    const drag = () =>
      expect
        .poll(async () => {
          await page.mouse.move(box.x + box.width - 250, box.y + 40)
          await page.mouse.down()
          await page.mouse.move(box.x + box.width - 20, box.y + 60, { steps: 4 })
          await page.mouse.up()
          return zoomed.waitFor({ timeout: 5000 }).then(
            () => true,
            () => false,
          )
        })
        .toBe(true)
    await drag()
    await area.dblclick({ position: { x: 100, y: 60 } })
    await zoomed.waitFor({ state: 'detached' })
    await drag()
    await chart.getByRole('group', { name: /^Locks by state from/ }).focus()
    // The first ends the reading under the pointer, which a late move of the mouse may begin again.
    const escaped = async () => {
      await page.keyboard.press('Escape')
      return zoomed.isHidden()
    }
    await expect.poll(escaped).toBe(true)

    // The same with the keys.
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => legend.innerText()).toMatch(/\d\d:\d\d:\d\d/)
    await page.keyboard.press('+')
    await zoomed.waitFor()
    await zoomed.click()
    await zoomed.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })

  it('counts locks over time by holder, format or prefix', async () => {
    const redis = await fiveLocks()
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
    })
    await openStats(page)
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('5')
    const chart = card(page, 'Locks by group')
    await expect.poll(() => coloursIn(chart)).toBeGreaterThan(5)
    await chart.getByRole('button', { name: 'Prefix' }).click()
    const table = await asTable(page, 'Locks by group')
    const told = async () => cellsOf(table, 0)
    await expect.poll(told).toMatchObject({ lockRecharge: '4', 'lock:auction': '1' })
    await redis.client.set('lockRecharge:three', rechargeJson('worker-9'))
    await expect.poll(told).toMatchObject({ lockRecharge: '5', 'lock:auction': '1' })
    // Of six names five are told: those that were held for longest.
    await chart.getByRole('button', { name: 'Name' }).click()
    await expect.poll(told).toMatchObject({ late: '1', stuck: '1', Others: '1' })
    await chart.getByRole('button', { name: 'Holder' }).click()
    await expect.poll(async () => Object.keys(await told()).some(name => /^token /.test(name))).toBe(true)
    expect(await chart.innerText()).not.toContain('a-token-that-nobody-may-read')
    expect(problems).toEqual([])
  })

  it('of a day begins where watching began', async () => {
    const redis = await fiveLocks()
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await openStats(page)
    await page.getByRole('button', { name: '24 h', exact: true }).click()
    await page.getByText(/of 24 h .* nobody watched before/).waitFor()
    const drawing = card(page, 'Locks by state').getByRole('group', { name: /^Locks by state from/ })
    const minutesDrawn = async () => {
      const [, from, to] =
        /from (\S+) to (\S+)\./.exec((await drawing.getAttribute('aria-label')) ?? '') ?? []
      return (Date.parse(`2000-01-02T${to}Z`) - Date.parse(`2000-01-02T${from}Z`)) / 60_000
    }
    await expect.poll(async () => ((await minutesDrawn()) + 1440) % 1440).toBeLessThanOrEqual(6)
  })

  it('shows a gap with its reason while the server was stopped', async () => {
    const first = await startRedis()
    let server = first
    onTestFinished(() => server.stop('SIGKILL'))
    const fill = async () => {
      const client = new Redis({ port: first.port })
      await client.set('lockRecharge:card', rechargeJson('worker-1'))
      client.disconnect()
    }
    await fill()
    const { page } = await openConsole('web', {
      stores: [{ name: 'cache', address: `redis://127.0.0.1:${first.port}/0` }],
    })
    await screen.row(page, 'lockRecharge:card').waitFor()
    await openStats(page)
    await figure(page, 'Stored').getByText('1').waitFor()
    const table = await asTable(page, 'Locks by state')
    await first.stop('SIGKILL')
    await page.getByText(/cache is not live\. It counts as of/).waitFor()
    // Longer than a step, so that at least one whole step is not observed.
    await page.waitForTimeout(21_000)
    expect(await cellsOf(table, 0)).not.toMatchObject({ Held: '0' })
    // What is known is old, and nothing says that it is so now.
    const asOf = /^as of \d\d:\d\d:\d\d$/
    await page.getByRole('region', { name: asOf }).waitFor()
    expect(
      await card(page, 'What happened, per minute').locator('div[aria-live] > span').first().innerText(),
    ).toMatch(asOf)
    server = await startRedis({ port: first.port })
    await fill()
    await page.getByText(/cache is not live/).waitFor({ state: 'detached' })
    await expect.poll(async () => (await cellsOf(table, 0))['Held']).toBe('1')
    const rows = await table.locator('tbody tr').allInnerTexts()
    const gap = rows.findIndex(row => /Not observed .* cache did not answer/.test(row))
    expect(gap).toBeGreaterThan(0)
    const numbers = await Promise.all(rows.map(async (_, i) => (await cellsOf(table, i))['Held']))
    expect(numbers).not.toContain('0')
  })

  it('of a lock shows each of its holders as a bar', async () => {
    const redis = await redisPlace()
    const hot = 'lockRecharge:hot'
    await redis.client.set(hot, rechargeJson('worker-1', HOUR_MS, 1000))
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
    })
    await screen.row(page, hot).waitFor()
    await page.waitForTimeout(2500)
    await redis.client.set(hot, rechargeJson('worker-2', HOUR_MS, 0))
    await screen.row(page, 'worker-2').waitFor()
    const inspector = await inspect(page, hot)
    await inspector.getByRole('button', { name: 'Timeline' }).click()
    const timeline = card(page, 'Timeline of a lock')
    const drawing = timeline.getByRole('group', { name: /^Holders of lockRecharge:hot over time: 2 times/ })
    await drawing.waitFor()
    expect(await drawing.locator('[data-end]').count()).toBe(2)
    await drawing.locator('[data-end="passed-on"]').hover()
    await timeline.getByText(/worker-1.*another took over/).waitFor()
    await drawing.focus()
    await page.keyboard.press('End')
    await timeline.getByText(/worker-2.*still held/).waitFor()
    const table = await asTable(page, 'Timeline of a lock')
    expect(await cellsOf(table, 0)).toMatchObject({ Until: 'still held', Renewals: '0' })
    expect((await cellsOf(table, 0))['Holder']).toContain('worker-2')
    expect((await cellsOf(table, 1))['Holder']).toContain('worker-1')

    // Another key is found by typing a part of it.
    await redis.client.set('lockRecharge:other', rechargeJson('worker-7'))
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('2')
    const picker = page.getByRole('combobox', { name: 'Key' })
    await picker.fill('other')
    await page.getByRole('option', { name: /lockRecharge:other/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await cellsOf(table, 0))['Holder']).toContain('worker-7')
    expect(problems).toEqual([])
  })
})

describe('statistics', () => {
  it('are read only while the page is visible', async () => {
    const { page } = await openConsole('web')
    let asked = 0
    page.on('request', request => {
      if (request.postData()?.includes('stats.read')) asked++
    })
    const askedIn = async (ms: number) => {
      const before = asked
      await page.waitForTimeout(ms)
      return asked - before
    }
    const hide = (hidden: boolean) =>
      page.evaluate(to => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => to })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await openStats(page)
    await figure(page, 'Stored').waitFor()
    expect(await askedIn(9000)).toBeGreaterThanOrEqual(1)
    await hide(true)
    await page.waitForTimeout(500)
    expect(await askedIn(6000)).toBe(0)
    await hide(false)
    await expect.poll(() => askedIn(300)).toBeGreaterThanOrEqual(1)
    await page.keyboard.press('1')
    await screen.rows(page).first().waitFor()
    await page.waitForTimeout(500)
    expect(await askedIn(6000)).toBe(0)
  })

  it('are shown with a notice if they cannot be written to disk', async () => {
    const { page } = await openConsole('web', { dataFolder: await folderWithout('history') })
    await openStats(page)
    await figure(page, 'Stored').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /cannot be written to disk \(E/ })
      .waitFor()
  })

  it('report an empty store, and count all of 10,000 locks', async () => {
    const empty = await redisPlace()
    const many = await manyLocks(3334)
    onTestFinished(many.close)
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'empty', address: empty.address }, ...many.stores],
    })
    await openStats(page)
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('10,002')
    await screen.store(page, 'empty').getByRole('button').first().click()
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('0')
    await card(page, 'Holders').getByText('No locks now.').waitFor()
    await page.getByText('Nothing was seen to end in this time.').waitFor()
    await page.getByRole('button', { name: 'empty', exact: true }).click()
    await expect.poll(() => figure(page, 'Stored').innerText()).toBe('10,002')
    expect(problems).toEqual([])
  })
})
