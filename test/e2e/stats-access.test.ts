import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { loadAxe, troubles } from './axe.ts'
import { openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { screen } from './screen.ts'
import { asTable, card, figure, openStats } from './stats-screen.ts'

const HOUR_MS = 3_600_000
const HOSTILE = [
  '<img src=x onerror="window.__pwned=1">',
  '"><script>window.__pwned=1</script>',
  'turned\u202egnp.exe\u2066\u200b',
  'terminal\x1b[2J\x1b]0;pwned\x07\r\n',
  `long${'w'.repeat(4000)}`,
]
/** Controls, marks that reorder text, and what cannot be seen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

/** How much of the page lies outside of the window: it has views that scroll, and does not scroll itself. */
function beyondFrame(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
    return [scrollWidth - clientWidth, scrollHeight - clientHeight]
  })
}

it('statistics and alerts stay accessible with hostile lock names', async () => {
  const redis = await redisPlace()
  for (const text of HOSTILE)
    await redis.client.set(`lockRecharge:${text}`, rechargeJson(text, 5 * HOUR_MS, 3 * HOUR_MS))
  const { page, problems } = await openConsole('web', {
    stores: [{ name: 'cache <b>', address: redis.address, production: true }],
  })
  await screen.row(page, 'script').first().waitFor()
  await loadAxe(page)
  const found: string[] = []
  const look = async (where: string, widths?: Parameters<typeof troubles>[2]) => {
    found.push(...(await troubles(page, where, widths)))
    expect(await page.locator('body').innerText(), where).not.toMatch(RAW)
    expect(await page.evaluate(() => (window as { __pwned?: unknown }).__pwned), where).toBeUndefined()
    for (const width of [1280, 600, 480]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => beyondFrame(page), { message: `${where}, ${width} wide` }).toEqual([0, 0])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  const some = { light: [1280], dark: [700] }

  await openStats(page)
  await expect.poll(() => figure(page, 'Stored').innerText()).toBe('5')
  await card(page, 'Timeline of a lock').getByRole('combobox').fill('turned')
  await page.getByRole('option', { name: /turned\\u\{202e\}gnp\.exe/ }).waitFor()
  await look('choosing a key', some)
  await page.getByRole('option').first().click()
  await card(page, 'Timeline of a lock').locator('[data-end]').first().waitFor()
  await look('charts')
  for (const name of [
    'Locks by state',
    'What happened, per minute',
    'Locks by group',
    'Timeline of a lock',
    'Held for, of those that ended',
    'Time left, of those held now',
  ])
    await asTable(page, name)
  await look('tables')

  await page.keyboard.press('3')
  await page.getByRole('heading', { name: 'Held for long' }).waitFor()
  await look('alerts')
  await page.getByRole('button', { name: 'Acknowledge…' }).first().click()
  const acknowledge = screen.dialog(page, 'Acknowledge 5 alerts')
  await acknowledge.getByRole('textbox', { name: 'Reason' }).fill(`${HOSTILE[0]} \u202eseen`)
  await look('acknowledge', some)
  await acknowledge.getByRole('button', { name: 'Acknowledge', exact: true }).click()
  await page
    .getByText(/Acknowledged by/)
    .first()
    .waitFor()
  await look('acknowledged', some)
  await page.getByRole('button', { name: 'Mute…' }).first().click()
  await screen.dialog(page, 'Mute alert').getByRole('textbox', { name: 'Reason' }).fill('because')
  await look('mute', some)
  await page.getByRole('button', { name: 'Mute', exact: true }).click()
  await page.getByRole('region', { name: 'Muted' }).waitFor()
  await look('muted', some)
  await page.getByRole('button', { name: 'Rules…' }).click()
  await screen.dialog(page, 'Rules for alerts').waitFor()
  await look('rules', some)
  await page.keyboard.press('Escape')
  await page.keyboard.press('1')
  await screen.row(page, 'script').first().waitFor()
  await look('table', some)
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
