import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { begin, goOnTo, isAt, setQuiet, walk } from '../e2e/walk-screen.ts'
import { CLI } from '../hosts/cli/run-cli.ts'
import { startWorker } from '../proof/switch/workers.ts'
import { freePort, programPath, temporaryFolder } from '../servers/process.ts'
import { ROOT } from '../source-files.ts'
import { makeScene } from './scene.ts'

const FOLDER = join(ROOT, 'docs/screenshots')
/** Others than the README's, to look at while working on the screen. */
const MORE = process.env['LOCKKEEPER_MORE_SHOTS']

const closing: (() => Promise<unknown>)[] = []
let browser: Browser
let address: string
let dataFolder: string

beforeAll(async () => {
  const data = await temporaryFolder('screenshots')
  closing.push(data.remove)
  dataFolder = data.path
  const servers = {
    redisPort: inject('redisPort'),
    mariadbPort: inject('mariadbPort'),
    dynamodbEndpoint: inject('dynamodbEndpoint'),
    deadPort: await freePort(),
  }
  closing.unshift(await makeScene(servers, data.path))
  const env = {
    ...process.env,
    LOCKKEEPER_DATA_DIR: data.path,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  }
  const child = spawn(process.execPath, [CLI, 'console', '--web', '--port', '0'], { env })
  closing.unshift(async () => {
    child.kill('SIGINT')
    await once(child, 'exit')
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    const found = /Lockkeeper is at (\S+)/.exec(output)?.[1]
    if (found) {
      address = found
      break
    }
  }
  browser = await chromium.launch({
    executablePath: programPath('chromium'),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  closing.unshift(() => browser.close())
})

afterAll(async () => {
  for (const close of closing) await close()
})

let state: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>> | undefined

async function openPage(scheme: 'light' | 'dark', width: number, height: number): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    timezoneId: 'UTC',
    ...(state ? { storageState: state } : {}),
  })
  const page = await context.newPage()
  await page.goto(state ? new URL('/', address).href : address)
  await page.getByRole('row', { name: /VOZ_PROCESS/ }).waitFor()
  state = await context.storageState()
  // The store that is down has said so, and the first changes have faded.
  await page.getByText(/retrying/).waitFor()
  await page.waitForTimeout(4000)
  return page
}

test.each(['light', 'dark'] as const)('%s', async scheme => {
  const page = await openPage(scheme, 1280, 800)
  await page.getByRole('row', { name: /VOZ_PROCESS/ }).click()
  await page.getByText(/nothing has renewed it/).waitFor()
  await page.mouse.move(640, 790)
  await page.waitForTimeout(6000)
  await page.screenshot({ path: join(FOLDER, `${scheme}.png`) })
  if (scheme === 'light') await planShot(page)
  if (MORE) await moreShots(page, scheme, MORE)
  await page.context().close()
})

/** So long, auctions are bid for: statistics of a quiet night show nothing. */
const BUSY_MS = 240_000

test('statistics, alerts and a report', { timeout: BUSY_MS + 120_000 }, async () => {
  const page = await openPage('light', 1280, 800)
  await bidFor(BUSY_MS)
  await page.keyboard.press('2')
  await page.waitForTimeout(5000)
  await page.screenshot({ path: join(FOLDER, 'statistics.png') })
  await page.keyboard.press('3')
  await page.waitForTimeout(2000)
  await page.screenshot({ path: join(FOLDER, 'alerts.png') })
  await page.getByRole('button', { name: 'Report…' }).click()
  await page.locator('iframe').waitFor()
  await page.waitForTimeout(4000)
  await page.screenshot({ path: join(FOLDER, 'report.png') })
  await page.context().close()
})

test('a switch of providers, of which one program was not told', async () => {
  const page = await openPage('light', 1280, 800)
  await begin(page, /^recharges PROD/, /^recharges sql/)
  await setQuiet('web', page, { ...idsOf('recharges', 'recharges sql'), quietMs: 3000 })
  await goOnTo(page, 'Stop the workers')
  await goOnTo(page, 'Let the old locks end')
  const env = join(dataFolder, 'worker.env')
  writeFileSync(env, `LOCK_PROVIDER=redis\nREDIS_PORT=${inject('redisPort')}\nREDIS_DB=2001\n`)
  await startWorker('topup-worker-2', { env, keys: ['TOPUP_PROCESS'], ttl: '9s', hold: true })
  await walk
    .main(page)
    .getByText(/extends it, 2 times/)
    .waitFor({ timeout: 30_000 })
  await isAt(page, 'Let the old locks end')
  await page.screenshot({ path: join(FOLDER, 'switch.png') })
  await page.context().close()
})

// The last one: the locks that the others show are then held by an operator.
test('holds: one of a free lock, and one that waits for it', async () => {
  const page = await openPage('light', 1280, 800)
  await hold(page, /VOZ_PROCESS/, 'Invoices are written twice: INC-2207', 'Hold')
  await hold(page, /GPS_PROCESS/, 'Migration of the trips table', 'Wait for it')
  await page.keyboard.press('5')
  await page.getByRole('main', { name: 'Holds' }).getByText('Migration of the trips table').waitFor()
  await page.waitForTimeout(1000)
  await page.screenshot({ path: join(FOLDER, 'holds.png') })
  await page.context().close()
})

async function hold(page: Page, key: RegExp, reason: string, confirm: string): Promise<void> {
  await page.keyboard.press('1')
  await page.getByRole('row', { name: key }).click()
  await page.getByRole('button', { name: 'Hold…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Hold a lock' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await dialog.getByRole('textbox', { name: 'Type recharges to confirm' }).fill('recharges')
  await dialog.getByRole('button', { name: confirm, exact: true }).click()
  await dialog.getByRole('button', { name: 'Show holds' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Close the inspector' }).click()
}

/** As the console keeps its stores. */
function idsOf(from: string, to: string): { fromStoreId: string; toStoreId: string } {
  const kept = JSON.parse(readFileSync(join(dataFolder, 'stores.json'), 'utf8')) as {
    stores: { storeId: string; profile: { name: string } }[]
  }
  const idOf = (name: string) => kept.stores.find(({ profile }) => profile.name === name)?.storeId ?? ''
  return { fromStoreId: idOf(from), toStoreId: idOf(to) }
}

/** Others take locks of auctions and give them back, some quickly, some slowly, some never. */
async function bidFor(ms: number): Promise<void> {
  const client = new Redis({ port: inject('redisPort'), db: 2003 })
  const until = Date.now() + ms
  for (let n = 0; Date.now() < until; n++) {
    const key = `lock:auction:${200 + (n % 40)}`
    const busy = 3 + Math.round(6 * Math.sin(n / 60) ** 2)
    if (n % busy === 0) await client.del(key)
    else await client.set(key, randomUUID(), 'PX', 5000 + (n % 9) * 9000, 'NX')
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  client.disconnect()
}

async function planShot(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Release all…', exact: true }).click()
  await page.getByRole('dialog', { name: /^Release \d+ locks$/ }).waitFor()
  await page.getByRole('tab', { name: 'Format' }).click()
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(FOLDER, 'plan.png') })
  await page.keyboard.press('Escape')
}

async function moreShots(page: Page, scheme: string, folder: string): Promise<void> {
  const shot = (name: string) => page.screenshot({ path: join(folder, `${scheme}-${name}.png`) })
  await page.getByRole('button', { name: 'Release…' }).click()
  await shot('release')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Close the inspector' }).click()
  await shot('wide')
  for (const [key, name] of [
    ['2', 'stats'],
    ['3', 'alerts'],
    ['1', 'locks'],
  ] as const) {
    await page.keyboard.press(key)
    await page.waitForTimeout(2500)
    await shot(name)
  }
  await page.getByRole('button', { name: 'Add a store…' }).click()
  await page.getByRole('button', { name: 'Test' }).click()
  await page.waitForTimeout(1500)
  await shot('add')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await shot('palette')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await shot('keys')
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Filter locks' }).fill('nothing-like-this')
  await page.waitForTimeout(500)
  await shot('no-match')
  await page.getByRole('textbox', { name: 'Filter locks' }).fill('')
  await page.getByRole('button', { name: /^billing/ }).click()
  await page.waitForTimeout(500)
  await shot('down')
  await page.setViewportSize({ width: 680, height: 800 })
  await page.getByRole('button', { name: /^All locks/ }).click()
  await page.waitForTimeout(700)
  await shot('narrow')
}
