import type { Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { type Console, HOSTS, openConsole } from './console.ts'
import { dynamoPlace, mysqlPlace, takeItem, takeRow } from './places.ts'
import { inspect, screen, storeAction } from './screen.ts'

const IMG = '<img src=x onerror="window.__pwned=1">'

/** Each with a word that it can be found by. */
const HOSTILE: Readonly<Record<string, string>> = {
  markup: `markup${IMG}<script>window.__pwned=1</script>`,
  terminal: 'terminal\x1b[2J\x1b]0;pwned\x07\x9b31m\x7f\b\r\n',
  turned: 'turned\u202egnp.exe\u2066\u200b\u200f\ufeff',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for whoever would put it into a template
  template: 'template${window.__pwned=1}{{constructor.constructor("window.__pwned=1")()}}',
  scheme: 'scheme javascript:window.__pwned=1//',
  nothing: 'nothing\0after',
  stacked: `stacked${'\u0301'.repeat(200)}`,
  long: `long${'w'.repeat(10_000)}`,
  proto: 'proto__proto__',
}

/** Controls, marks that reorder text, and what cannot be seen; but not the line ends that innerText puts between cells. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

async function isHarmless({ page, problems }: Console, part: Locator): Promise<void> {
  expect(await part.innerText()).not.toMatch(RAW)
  expect(await page.evaluate(() => (window as { __pwned?: unknown }).__pwned)).toBeUndefined()
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  expect(problems).toEqual([])
}

function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

describe.each(HOSTS)('hostile strings, in %s', host => {
  it('stay text in every place they are shown', async () => {
    const redis = await redisPlace()
    const mysql = await mysqlPlace()
    const dynamo = await dynamoPlace()
    const expiresAt = Date.now() + 3_600_000
    for (const text of Object.values(HOSTILE)) {
      const json = {
        lockId: text,
        pid: 1,
        timestamp: Date.now(),
        expiresAt,
        [text.slice(0, 60)]: text,
      }
      await redis.client.set(`lockRecharge:${text}`, JSON.stringify(json))
      await takeRow(mysql.database, text.slice(0, 100), text.slice(0, 255))
      await takeItem(dynamo.table, text.slice(0, 1500), text)
    }
    await redis.client.set(`lockRecharge:odd${IMG}\x1b[2J\u202e`, `not JSON ${IMG}`)
    const stores = [
      { name: `cache ${IMG.slice(0, 50)}`, address: redis.address },
      { name: 'orders "\'><b>', address: mysql.address },
      { name: 'pipelines', address: dynamo.address },
    ]
    const console = await openConsole(host, { stores })
    const { page } = console
    const count = Object.keys(HOSTILE).length
    await expect.poll(() => screen.grid(page).getAttribute('aria-rowcount')).toBe(String(3 * count + 1))
    const shown = await screen.grid(page).innerText()
    for (const text of [IMG, '\\x1b[2J', '\\u{202e}gnp.exe', '\\x00after']) expect(shown).toContain(text)
    await isHarmless(console, screen.grid(page))
    await isHarmless(console, screen.stores(page))

    // One store each is enough in the window: the page is the same.
    for (const name of host === 'web' ? stores.map(store => store.name) : [stores[0]?.name ?? '']) {
      await screen.store(page, name).getByRole('button').first().click()
      await expect.poll(() => screen.grid(page).getAttribute('aria-rowcount')).toBe(String(count + 1))
      for (const word of Object.keys(HOSTILE)) {
        const inspector = await inspect(page, word)
        await inspector
          .getByRole('region', { name: /^Raw value/ })
          .first()
          .waitFor()
        await inspector.getByText('Fields', { exact: true }).click()
        await isHarmless(console, inspector)
      }
      for (const word of ['markup', 'turned', 'long']) {
        await screen.row(page, word).first().click()
        await screen.inspector(page).getByRole('button', { name: 'Release…' }).click()
        const dialog = screen.dialog(page, 'Release lock')
        await dialog.waitFor()
        await isHarmless(console, dialog)
        await page.keyboard.press('Escape')
      }
    }
    await page.getByRole('button', { name: /^All locks/ }).click()
    await page.getByRole('button', { name: '1 record not understood' }).click()
    const unknown = screen.dialog(page, 'Records not understood')
    await isHarmless(console, unknown)
    await unknown.getByRole('button', { name: /^lockRecharge:odd/ }).click()
    await screen
      .inspector(page)
      .getByText(/^Not a lock/)
      .waitFor()
    await isHarmless(console, screen.inspector(page))
    await storeAction(page, stores[0]?.name ?? '', 'Remove…')
    await isHarmless(console, screen.dialog(page, 'Remove store'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type(IMG)
    await isHarmless(console, screen.dialog(page, 'Commands'))
    await page.keyboard.press('Enter')
    await isHarmless(console, page.getByRole('main'))
  })
})
