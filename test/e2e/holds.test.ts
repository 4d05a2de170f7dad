import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { loadAxe, troubles } from './axe.ts'
import { HOSTS, openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { askRelease, inspect, screen } from './screen.ts'

const KEY = 'lockRecharge:nightly'

/** A program that wants the lock, with statements of its own. */
async function place() {
  const redis = await redisPlace()
  const take = async (owner: string) =>
    (await redis.client.set(KEY, rechargeJson(owner), 'PX', 600_000, 'NX')) === 'OK'
  await take('worker-1')
  return { ...redis, take }
}

const holdsView = (page: Page) => page.getByRole('main', { name: 'Holds' })
const secondsLeft = async (page: Page) => {
  const [, minutes, seconds] = /(\d+) min (\d+) s left/.exec(await holdsView(page).innerText()) ?? []
  return Number(minutes) * 60 + Number(seconds)
}

describe.each(HOSTS)('maintenance holds, in %s', host => {
  it('hold a lock that was just released, count down, and release it', async () => {
    const { client, address, take } = await place()
    const { page, audit, problems } = await openConsole(host, { stores: [{ name: 'cache', address }] })
    const release = await askRelease(page, KEY)
    await release.getByRole('textbox', { name: 'Reason' }).fill('stuck')
    await release.getByRole('button', { name: 'Release', exact: true }).click()
    await release.getByRole('button', { name: /Keep it from being taken again/ }).click()

    const dialog = screen.dialog(page, 'Hold a lock')
    await dialog.getByText('Free: nobody has it now.').waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Key' }).inputValue()).toBe(KEY)
    await dialog.getByRole('radio', { name: '15 min' }).check()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the export writes twice')
    await dialog.getByRole('button', { name: 'Hold', exact: true }).click()
    await dialog.getByRole('status').filter({ hasText: 'Held until' }).waitFor()
    expect(await take('worker-2')).toBe(false)
    await dialog.getByRole('button', { name: 'Show holds' }).click()

    await holdsView(page).getByText('the export writes twice').waitFor()
    const first = await secondsLeft(page)
    expect(first).toBeLessThanOrEqual(900)
    await expect.poll(() => secondsLeft(page)).toBeLessThan(first)
    await holdsView(page)
      .getByRole('button', { name: `Extend the hold on ${KEY}` })
      .click()
    await page.getByRole('menuitem', { name: '30 min longer' }).click()
    await expect.poll(() => secondsLeft(page)).toBeGreaterThan(1800)

    await page.keyboard.press('1')
    await screen.row(page, KEY).getByText('Hold', { exact: true }).waitFor()
    const inspector = await inspect(page, KEY)
    await inspector.getByText('the export writes twice', { exact: true }).waitFor()
    await inspector.getByRole('button', { name: `Release ${KEY}` }).click()
    await expect.poll(() => client.exists(KEY)).toBe(0)
    expect(await take('worker-2')).toBe(true)

    const entries = async () =>
      (await audit())
        .filter(entry => String(entry['method']).startsWith('holds.'))
        .map(entry => [entry['method'], entry['event'], entry['outcome'] ?? entry['reason']])
    await expect.poll(entries).toEqual([
      ['holds.take', 'intent', 'the export writes twice'],
      ['holds.take', 'outcome', 'held'],
      ['holds.extend', 'intent', 'the export writes twice'],
      ['holds.extend', 'outcome', 'extended'],
      ['holds.release', 'intent', 'the export writes twice'],
      ['holds.release', 'outcome', 'released'],
    ])
    expect(problems).toEqual([])
  })
})

describe('maintenance holds', () => {
  it('wait for a held lock, name its holder, and announce a loss', async () => {
    const { client, address } = await place()
    const { page, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address, production: true }],
    })
    await loadAxe(page)
    const found: string[] = []
    const look = async (where: string) =>
      void found.push(...(await troubles(page, where, { light: [1280], dark: [700] })))
    const inspector = await inspect(page, KEY)
    await inspector.getByRole('button', { name: 'Hold…' }).click()
    const dialog = screen.dialog(page, 'Hold a lock')
    await dialog.getByText(/Held by worker-1/).waitFor()
    const confirm = dialog.getByRole('button', { name: 'Wait for it' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the export writes twice')
    expect(await dialog.getByRole('checkbox', { name: /Wait until it is free/ }).isChecked()).toBe(true)
    expect(await confirm.isDisabled()).toBe(true)
    await look('dialog')
    await dialog.getByRole('textbox', { name: 'Type cache to confirm' }).fill('cache')
    await confirm.click()
    await dialog.getByRole('button', { name: 'Show holds' }).click()
    await holdsView(page)
      .getByText(/held by worker-1/)
      .waitFor()
    await look('waiting')
    await client.del(KEY)
    await holdsView(page).getByText('Holding').waitFor()
    await look('held')
    await client.set(KEY, rechargeJson('worker-2'))
    // By the next renewal at the latest.
    await page.getByRole('alert').filter({ hasText: 'was lost' }).waitFor()
    await look('lost')
    expect(await page.getByRole('alert').innerText()).toContain('worker-2')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Another holder has the lock now').waitFor()
    await look('ended')
    expect(found).toEqual([])
    expect(problems).toEqual([])
  })
})
