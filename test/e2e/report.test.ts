import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FrameLocator, Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { reportDocumentSchema } from '../../shared/report-document.ts'
import { populateRedis } from '../bench/populate.ts'
import { HOSTILE } from '../core/features/reports/hostile.ts'
import { redisPlace } from '../core/stores/redis/place.ts'
import { programPath } from '../servers/process.ts'
import { loadAxe, troubles } from './axe.ts'
import { type Console, HOSTS, openBrowser, openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { screen } from './screen.ts'

async function openReport(page: Page): Promise<{ dialog: Locator; preview: FrameLocator }> {
  await page.getByRole('button', { name: 'Report…' }).click()
  const dialog = screen.dialog(page, 'Report')
  await dialog.waitFor()
  const preview = dialog.frameLocator('iframe')
  await preview.getByRole('heading', { level: 1 }).waitFor()
  return { dialog, preview }
}

/** A Redis with names that do harm, and one that expired. */
async function hostilePlace() {
  const redis = await redisPlace()
  for (const text of HOSTILE)
    await redis.client.set(`lockRecharge:${text}`, rechargeJson(`owner ${text}`, 3_600_000, 3 * 3_600_000))
  await redis.client.set('lockRecharge:STUCK', rechargeJson('VOZ_1', -60_000, 3_600_000))
  return redis
}

/** Saves what the dialog makes, wherever the host lets the operator keep files. */
async function save({ page, app, dataFolder }: Console, dialog: Locator, name: string): Promise<string> {
  const path = join(dataFolder, name)
  const button = dialog.getByRole('button', { name: 'Save', exact: true })
  if (app) {
    await app.evaluate(({ session }, to) => {
      const kept: string[] = []
      Object.assign(globalThis, { kept })
      session.defaultSession.once('will-download', (_event, item) => {
        item.setSavePath(to)
        item.once('done', (_done, state) => kept.push(state))
      })
    }, path)
    await button.click()
    await expect
      .poll(() => app.evaluate(() => (globalThis as unknown as { kept: string[] }).kept))
      .toEqual(['completed'])
  } else {
    const downloading = page.waitForEvent('download')
    await button.click()
    await (await downloading).saveAs(path)
  }
  // The window knows only later what became of the file.
  const said = app
    ? /is ready, with [\d,]+ locks\. The window asks/
    : /^Saved to your downloads: \S+, with [\d,]+ locks/
  await dialog.getByText(said).waitFor()
  return path
}

describe.each(HOSTS)('the report, in %s', host => {
  it('shows its colours and charts, and runs no script from hostile lock names', async () => {
    const redis = await hostilePlace()
    const console = await openConsole(host, { stores: [{ name: 'cache', address: redis.address }] })
    const { page, problems } = console
    await screen.row(page, 'STUCK').first().waitFor()
    await screen.filter(page).fill('lockRecharge')
    const { dialog, preview } = await openReport(page)
    expect(await dialog.getByRole('textbox', { name: 'Locks' }).inputValue()).toBe('lockRecharge')
    const look = await preview.locator('body').evaluate(body => {
      const style = (selector: string) => getComputedStyle(body.querySelector(selector) as Element)
      return {
        title: style('h1').fontSize,
        tile: style('.tiles > div').borderTopWidth,
        danger: style('.t-danger').color,
        area: style('.area.s-held').fill,
        axis: style('.axis').fill,
        scripts: body.ownerDocument.scripts.length,
        pwned: '__pwned' in (body.ownerDocument.defaultView as object),
      }
    })
    expect(look).toEqual({
      ...{ title: '26px', tile: '1px', danger: 'rgb(168, 34, 24)', area: 'rgb(95, 158, 160)', axis: 'none' },
      ...{ scripts: 0, pwned: false },
    })
    const listed = preview.getByRole('region', { name: 'All locks' }).getByRole('row')
    expect(await listed.filter({ hasText: 'lockRecharge:STUCK' }).count()).toBe(1)
    // Nothing was refused by the policy, and nothing failed.
    expect(problems).toEqual([])
    expect(page.frames().map(frame => frame.url().split('?')[0])).toEqual([page.url(), 'about:srcdoc'])
  })

  it('is saved as a whole file in the format that was chosen', async () => {
    const redis = await hostilePlace()
    const console = await openConsole(host, { stores: [{ name: 'cache', address: redis.address }] })
    const { page, problems } = console
    await screen.row(page, 'STUCK').first().waitFor()
    const { dialog, preview } = await openReport(page)
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Outage of the night')
    await dialog.getByRole('textbox', { name: 'Summary' }).fill('First line\nSecond line')
    await dialog.getByText('You have changed something since.').waitFor()
    await dialog.getByRole('button', { name: 'Update preview' }).click()
    await preview.getByRole('heading', { name: 'Outage of the night' }).waitFor()

    await dialog.getByRole('radio', { name: 'JSON' }).check()
    const json = readFileSync(await save(console, dialog, 'r.json'), 'utf8')
    const { asked, locks, end } = reportDocumentSchema.parse(JSON.parse(json))
    expect(asked).toMatchObject({ title: 'Outage of the night', summary: 'First line\nSecond line' })
    expect(locks).toHaveLength(HOSTILE.length + 1)
    expect(end.complete).toBe(true)

    await dialog.getByRole('radio', { name: 'HTML' }).check()
    const html = readFileSync(await save(console, dialog, 'r.html'), 'utf8')
    expect([html.slice(0, 15), html.slice(-8)]).toEqual(['<!doctype html>', '</html>\n'])
    expect(problems).toEqual([])
  })

  it('names the error and writes nothing', async () => {
    const console = await openConsole(host)
    const { page } = console
    await screen.rows(page).first().waitFor()
    const { dialog } = await openReport(page)
    const locks = dialog.getByRole('textbox', { name: 'Locks' })
    await locks.fill('state:exp')
    await dialog.getByText(/^“exp” is not a state; use held/).waitFor()
    for (const name of ['Update preview', 'Save'])
      expect(await dialog.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
    await locks.fill('state:expired')
    expect(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(false)
    await dialog.getByRole('radio', { name: 'Other' }).check()
    await dialog.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
    await dialog.getByText('The end must be after the beginning.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  })

  it('shows how far it is, and is stopped by Cancel without a file', async () => {
    const redis = await redisPlace()
    await populateRedis(redis.client, 'locks', 60_000)
    const console = await openConsole(host, { stores: [{ name: 'cache', address: redis.address }] })
    const { page } = console
    await expect.poll(() => screen.grid(page).getAttribute('aria-rowcount')).toBe('60001')
    const downloads: string[] = []
    page.on('download', download => downloads.push(download.url()))
    const { dialog, preview } = await openReport(page)
    await dialog.getByRole('radio', { name: 'CSV' }).check()
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Looked at again')
    await dialog.getByRole('button', { name: 'Update preview' }).click()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByRole('progressbar', { name: 'Locks written' }).waitFor()
    // The preview waits: stores are read for one of the two at a time.
    expect(await dialog.getByText('Looking…').count()).toBe(0)
    await dialog.getByText(/of about 60,000 locks/).waitFor({ timeout: 0 })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Save', exact: true }).waitFor()
    expect(await dialog.getByRole('progressbar').count()).toBe(0)
    await dialog.getByText('Cancelled. Nothing was saved.').waitFor()
    await preview.getByRole('heading', { name: 'Looked at again' }).waitFor()
    expect(downloads).toEqual([])
    const csv = readFileSync(await save(console, dialog, 'r.csv'), 'utf8')
    expect(csv.match(/^lock,/gm)).toHaveLength(60_000)
    // A busy browser takes minutes for so many locks.
  }, 900_000)
})

it('keeps the draft while the sheet is closed, and drops the outcome of an earlier file', async () => {
  const console = await openConsole('web')
  const { page } = console
  await page.setViewportSize({ width: 1280, height: 800 })
  await screen.rows(page).first().waitFor()
  const { dialog } = await openReport(page)
  const summary = dialog.getByRole('textbox', { name: 'Summary' })
  await summary.fill('A long story')
  await dialog.getByRole('checkbox', { name: 'Include tokens and fences' }).check()
  await dialog.getByRole('radio', { name: 'Other' }).check()
  // Whole, with the time of the day.
  for (const name of ['From', 'To']) {
    const [needed, has] = await dialog
      .getByLabel(name, { exact: true })
      .evaluate(input => [input.scrollWidth, input.clientWidth])
    expect(needed).toBeLessThanOrEqual(has ?? 0)
    expect(has).toBeGreaterThan(200)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await openReport(page)
  expect(await summary.inputValue()).toBe('A long story')
  expect(await dialog.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true)
  expect(await dialog.getByRole('checkbox', { name: 'Include tokens and fences' }).isChecked()).toBe(false)
  await save(console, dialog, 'r.html')
  await summary.fill('Another story')
  expect(await dialog.getByText(/Saved to your downloads/).count()).toBe(0)
})

describe('on paper', () => {
  it('is pages with text that can be read, from the window', async () => {
    const redis = await hostilePlace()
    const console = await openConsole('electron', { stores: [{ name: 'cache', address: redis.address }] })
    const { page, app } = console
    await screen.row(page, 'STUCK').first().waitFor()
    const { dialog } = await openReport(page)
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Outage of the night')
    await dialog.getByRole('radio', { name: 'PDF' }).check()
    const pdf = await save(console, dialog, 'r.pdf')
    const info = execFileSync(programPath('pdfinfo'), [pdf]).toString()
    expect(Number(/^Pages:\s+(\d+)$/m.exec(info)?.[1])).toBeGreaterThan(2)
    expect(info).toMatch(/^Page size:\s+59[45]\.?\d* x 84[12]\.?\d* pts \(A4\)$/m)
    expect(info).toMatch(/^JavaScript:\s+no$/m)
    const text = execFileSync(programPath('pdftotext'), ['-layout', pdf, '-']).toString()
    for (const words of [
      'Outage of the night',
      'lockRecharge:STUCK',
      'Locks that needed attention',
      'All locks',
    ])
      expect(text).toContain(words)
    // The window that printed it is gone.
    expect(app?.windows()).toHaveLength(1)
    expect(console.problems).toEqual([])
  })

  it('is printed by the browser from the frame that shows it', async () => {
    const { page, problems } = await openConsole('web')
    // Stands for the browser's print dialog. It hears of the frame before the page does.
    await page.evaluate(() =>
      document.addEventListener(
        'load',
        event => {
          const frame = event.target as HTMLIFrameElement
          if (frame.tagName !== 'IFRAME' || !frame.contentWindow) return
          frame.contentWindow.print = () =>
            Object.assign(window, { printed: frame.contentDocument?.querySelector('h1')?.textContent })
        },
        true,
      ),
    )
    await screen.rows(page).first().waitFor()
    const { dialog } = await openReport(page)
    await dialog.getByRole('textbox', { name: 'Title' }).fill('For the folder')
    await dialog.getByRole('radio', { name: 'PDF' }).check()
    await dialog.getByText('Your browser’s print dialog can save it as a PDF.').waitFor()
    await dialog.getByRole('button', { name: 'Print…' }).click()
    await expect
      .poll(() => page.evaluate(() => (window as { printed?: string }).printed))
      .toBe('For the folder')
    expect(problems).toEqual([])
  })
})

it('the window reports a file that could not be written completely', async () => {
  const { page, app } = await openConsole('electron')
  await screen.rows(page).first().waitFor()
  await app?.evaluate(({ dialog, session }) => {
    const said: string[] = []
    Object.assign(globalThis, { said })
    dialog.showMessageBox = (async (options: { message: string }) => {
      said.push(options.message)
      return { response: 0, checkboxChecked: false }
    }) as typeof dialog.showMessageBox
    session.defaultSession.on('will-download', (_event, item) => item.setSavePath('/proc/nowhere/r.html'))
  })
  const { dialog } = await openReport(page)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => app?.evaluate(() => (globalThis as unknown as { said: string[] }).said))
    .toEqual(['The file was not saved.'])
  // The sheet claims nothing that it does not know.
  await dialog.getByText(/is ready, with .* The window asks where to keep it/).waitFor()
  expect(await dialog.getByText(/\bsaved\b/i).count()).toBe(0)
})

it('the saved page is self-contained, logs no errors and is accessible', async () => {
  const redis = await hostilePlace()
  const console = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
  await screen.row(console.page, 'STUCK').first().waitFor()
  const { dialog } = await openReport(console.page)
  const path = await save(console, dialog, 'r.html')
  const page = await (await openBrowser()).newPage()
  const seen: string[] = []
  page.on('request', request => seen.push(request.url()))
  page.on('console', message => seen.push(message.text()))
  page.on('pageerror', error => seen.push(error.message))
  page.on('dialog', each => seen.push(each.message()))
  await page.goto(`file://${path}`)
  await loadAxe(page)
  expect(await troubles(page, 'the report')).toEqual([])
  await page.setViewportSize({ width: 400, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400)
  expect(seen).toEqual([`file://${path}`])
  await page.close()
})

it('the sheet is accessible in light and dark, wide and narrow', async () => {
  const { page } = await openConsole('web')
  await screen.rows(page).first().waitFor()
  const { dialog } = await openReport(page)
  await dialog.getByRole('checkbox', { name: 'Include tokens and fences' }).check()
  await dialog.getByText(/Whoever has a token can pose/).waitFor()
  await dialog.getByRole('radio', { name: 'Other' }).check()
  await loadAxe(page)
  expect(await troubles(page, 'the sheet')).toEqual([])
})
