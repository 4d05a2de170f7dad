import type { Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { HOSTS, openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { inspect, screen } from './screen.ts'

const HOUR_MS = 3_600_000
const LONG = 'lockRecharge:nightly'

async function openAlerts(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Alerts/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  return page.getByRole('main', { name: 'Alerts' })
}

function group(page: Page, title: string): Locator {
  return page
    .getByRole('list', { name: 'Alerts that go on' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 2, name: title }) })
}

/** One lock that has been held for three hours, which is told at once. */
async function heldLong() {
  const redis = await redisPlace()
  await redis.client.set(LONG, rechargeJson('worker-1', 5 * HOUR_MS, 3 * HOUR_MS))
  await redis.client.set('lockRecharge:calm', rechargeJson('worker-2'))
  return redis
}

describe.each(HOSTS)('an alert, in %s', host => {
  it('is in the list, the table and the inspector, with advice', async () => {
    const redis = await heldLong()
    const { page, problems } = await openConsole(host, {
      stores: [{ name: 'cache', address: redis.address }],
    })
    const row = screen.row(page, LONG)
    await row.getByRole('img', { name: 'Alert: Held for long' }).waitFor()
    expect(await screen.row(page, 'lockRecharge:calm').getByRole('img').count()).toBe(0)
    if (host === 'web') await expect.poll(() => page.title()).toBe('(1) Lockkeeper')
    const inspector = await inspect(page, LONG)
    const told = inspector.getByRole('region', { name: 'Alerts' })
    await told.getByText(/held by worker-1 .*for 3 h/).waitFor()

    await page.getByRole('button', { name: '1 alert', exact: true }).click()
    const held = group(page, 'Held for long')
    await held.getByText('Warning').waitFor()
    await held.getByText(/Check in the log of the job whether it still makes progress/).waitFor()
    await held.getByRole('button', { name: LONG, exact: true }).click()
    await inspector.getByRole('heading', { name: LONG }).waitFor()
    await held.getByRole('button', { name: `Timeline of ${LONG}` }).click()
    await page.getByRole('group', { name: `Holders of ${LONG} over time: 1 time` }).waitFor()
    await openAlerts(page)

    await held.getByRole('button', { name: 'Acknowledge…' }).click()
    const dialog = screen.dialog(page, 'Acknowledge alert')
    expect(await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('it is the yearly close')
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await held.getByText(/Acknowledged by .*: it is the yearly close/).waitFor()
    if (host === 'web') await expect.poll(() => page.title()).toBe('Lockkeeper')

    // It ends by itself, and is remembered.
    await redis.client.del(LONG)
    await page.getByRole('heading', { name: 'Nothing to warn of' }).waitFor()
    const ended = page.getByRole('region', { name: 'Ended in the last day' })
    await ended.getByRole('cell', { name: LONG }).waitFor()
    expect(problems).toEqual([])
  })
})

describe('alerts', () => {
  it('that are muted are silent until the mute is ended', async () => {
    const redis = await heldLong()
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await openAlerts(page)
    await group(page, 'Held for long').getByRole('button', { name: 'Mute…' }).click()
    const dialog = screen.dialog(page, 'Mute alert')
    await dialog.getByRole('combobox', { name: 'What' }).selectOption('This rule in cache')
    await dialog.getByRole('combobox', { name: 'For how long' }).selectOption('Until I end it')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('a migration')
    await dialog.getByRole('button', { name: 'Mute', exact: true }).click()
    await page.getByRole('heading', { name: 'Nothing to warn of' }).waitFor()
    const mutes = page.getByRole('region', { name: 'Muted' })
    await mutes.getByText('Held for long, in cache').first().waitFor()
    await mutes.getByText(/a migration/).waitFor()
    await mutes.getByText(/until it is ended · 1 alert silent/).waitFor()
    await mutes.getByRole('button', { name: /^End/ }).click()
    await group(page, 'Held for long').waitFor()
    expect(await mutes.count()).toBe(0)
  })

  it('follow the rules of their own store only', async () => {
    const first = await redisPlace()
    const second = await redisPlace()
    for (const { client } of [first, second])
      await client.set('lockRecharge:hour', rechargeJson('worker-1', HOUR_MS, HOUR_MS))
    const { page, problems } = await openConsole('web', {
      stores: [
        { name: 'strict', address: first.address },
        { name: 'usual', address: second.address },
      ],
    })
    await expect.poll(() => screen.rows(page).count()).toBe(2)
    await openAlerts(page)
    await page.getByRole('button', { name: 'Rules…' }).click()
    const dialog = screen.dialog(page, 'Rules for alerts')
    await dialog.getByRole('combobox', { name: 'For', exact: true }).selectOption('strict')
    const limit = dialog.getByRole('textbox', { name: 'Held longer than: Held for long' })
    // Letter by letter: the first one makes it a rule of this store, and must not take the focus away.
    await limit.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('30')
    expect(await limit.inputValue()).toBe('30')
    await dialog
      .getByRole('combobox', { name: 'Unit of Held longer than: Held for long' })
      .selectOption('min')
    // Two holders of one name in two stores are another rule's concern.
    await dialog.getByRole('checkbox', { name: /^Held in two stores/ }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await group(page, 'Held for long').getByText('strict', { exact: true }).waitFor()
    expect(await group(page, 'Held for long').count()).toBe(1)

    await page.getByRole('button', { name: 'Rules…' }).click()
    await dialog.getByRole('combobox', { name: 'For', exact: true }).selectOption('strict')
    await dialog.getByTitle('Use what is usual for: Held for long').click()
    expect(await limit.inputValue()).toBe('2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await group(page, 'Held for long').waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })

  it('have rules that name every invalid number, in any store', async () => {
    const redis = await redisPlace()
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await openAlerts(page)
    await page.getByRole('button', { name: 'Rules…' }).click()
    const dialog = screen.dialog(page, 'Rules for alerts')
    const save = dialog.getByRole('button', { name: 'Save' })
    const used = dialog.getByRole('textbox', { name: 'Used more than: Lease nearly used' })
    await used.fill('180')
    expect(await used.getAttribute('aria-invalid')).toBe('true')
    expect(await used.evaluate(element => element.ariaDescribedByElements?.[0]?.textContent)).toBe(
      '1 to 100 %',
    )
    expect(await save.isDisabled()).toBe(true)
    // With another store in view nothing is red, but it is said where it is, in view and to ears.
    await dialog.getByRole('combobox', { name: 'For', exact: true }).selectOption('cache')
    expect(await used.inputValue()).toBe('80')
    const summary = dialog.getByRole('alert').filter({ hasText: '1 number is wrong' })
    const way = summary.getByRole('button', { name: 'All stores, Lease nearly used, used more than' })
    expect(await save.isDisabled()).toBe(true)
    const box = await way.boundingBox()
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(await page.evaluate(() => innerHeight))
    await way.click()
    await expect.poll(() => used.evaluate(element => element === document.activeElement)).toBe(true)
    expect(await used.inputValue()).toBe('180')
    await used.fill('90')
    await summary.waitFor({ state: 'detached' })
    await save.click()
    await dialog.waitFor({ state: 'detached' })
  })

  it('that are new and critical are announced once, to screen readers and an allowed desktop', async () => {
    const first = await redisPlace()
    const second = await redisPlace()
    const { page } = await openConsole('web', {
      stores: [
        { name: 'old', address: first.address },
        { name: 'new', address: second.address },
      ],
    })
    await expect.poll(() => page.getByRole('contentinfo').innerText()).toContain('Lockkeeper')
    await page.evaluate(() => {
      const told: string[] = []
      // Stands for a desktop that shows notifications, while the page has no focus.
      class Notice {
        static permission = 'default'
        static requestPermission = async () => {
          Notice.permission = 'granted'
          return 'granted'
        }
        constructor(title: string, { body }: { body: string }) {
          told.push(`${title}: ${body}`)
        }
      }
      Object.assign(window, { Notification: Notice, told })
      document.hasFocus = () => false
    })
    await openAlerts(page)
    await page.getByRole('button', { name: 'Rules…' }).click()
    const dialog = screen.dialog(page, 'Rules for alerts')
    const notify = dialog.getByRole('checkbox', { name: 'Desktop notifications' })
    if (await notify.isChecked()) await dialog.getByRole('button', { name: 'Allow in this browser' }).click()
    else await notify.check()
    await dialog.getByRole('textbox', { name: 'For at least: Past its expiry' }).fill('0')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })

    await first.client.set('lockRecharge:a', rechargeJson('worker-1', -60_000, HOUR_MS))
    await group(page, 'Past its expiry').waitFor()
    const said = page.getByRole('status').filter({ hasText: 'New critical alert' })
    await expect
      .poll(() => said.allInnerTexts())
      .toEqual(['New critical alert: Past its expiry: lockRecharge:a in old.'])
    const OLD = 'Past its expiry: 1 lock in old is past its expiry and still stored.'
    const NEW = 'Past its expiry: 1 lock in new is past its expiry and still stored.'
    const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told)
    await expect.poll(told).toEqual([OLD])
    // Another one of the same rule in the same store waits a minute; another store does not.
    await first.client.set('lockRecharge:b', rechargeJson('worker-1', -60_000, HOUR_MS))
    await group(page, 'Past its expiry').getByText('2 locks · ', { exact: false }).waitFor()
    await second.client.set('lockRecharge:c', rechargeJson('worker-1', -60_000, HOUR_MS))
    await expect.poll(told).toEqual([OLD, NEW])
  })
})
