import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { envCopies } from '../core/features/switch/env-copies.ts'
import { type Application, application } from '../proof/switch/application.ts'
import type { Worker } from '../proof/switch/workers.ts'
import { type Console, HOSTS, type Host, openConsole } from './console.ts'
import { confirm, goOn, outcome, planRow, planSheet } from './plan-screen.ts'
import { screen } from './screen.ts'
import { begin, goOnTo, isAt, openSwitches, setQuiet, walk } from './walk-screen.ts'

const QUIET_MS = 2000
/** A folder for pictures on the way, to look at while working on the screen. */
const SHOTS = process.env['LOCKKEEPER_WALK_SHOTS']

async function shot(page: Page, host: Host, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${host}-${name}.png`) })
}

/** Redis to MariaDB with programs at work: what they do is seen by the console alone, through the stores. */
async function openWalk(host: Host) {
  const app = await application('redis', 'mysql')
  // Of a program that wrote no time to live: it ran out a minute ago, and its record stays.
  await app.from.hold('OLD_PROCESS', 'old-1', -60_000)
  const workers = await Promise.all(['worker-1', 'worker-2', 'worker-3'].map(name => app.start(name)))
  for (const worker of workers) expect(worker.said()).toContain('provider redis')
  const console = await openConsole(host, {
    stores: [
      { name: 'cache', address: app.from.address },
      { name: 'database', address: app.to.address },
    ],
  })
  const { page } = console
  await begin(page, 'cache', 'database')
  await setQuiet(host, page, { fromStoreId: 'store-0', toStoreId: 'store-1', quietMs: QUIET_MS })
  return { app, console, page, workers: workers as [Worker, Worker, Worker] }
}

async function understand(page: Page): Promise<void> {
  const both = walk.table(page, 'Both providers now')
  await expect.poll(() => both.innerText()).toMatch(/Held now\s+[1-3]\s+0\n/)
  const said = await both.innerText()
  expect(said).toMatch(/Server\s+Redis \d\S+\s+MariaDB \d/)
  expect(said).toMatch(/Round trip\s+[\d.]+ ms\s+[\d.]+ ms/)
  expect(said).toMatch(/Expired and still stored\s+1\s+0\n/)
  await expect.poll(() => both.innerText()).toMatch(/Acquired a minute\s+(?!0\s)[\d.,]+\s+0\n/)
  expect(said).toContain('It puts no load on the main database.')
  await goOnTo(page, 'Stop the workers')
}

/** One is forgotten: it is named, and nothing turns before it has stopped as well. */
async function stop(page: Page, [first, second, forgotten]: [Worker, Worker, Worker]): Promise<void> {
  const arrivals = walk.table(page, 'What still arrives')
  await expect.poll(() => arrivals.innerText()).toMatch(/worker-1[\s\S]*worker-2|worker-2[\s\S]*worker-1/)
  await Promise.all([first.stop(), second.stop()])
  const atWork = walk.main(page).getByText(/^Still at work: /)
  await expect.poll(() => atWork.innerText()).toMatch(/^Still at work: (?!.*worker-[12]).*worker-3/)
  await expect.poll(() => walk.check(page).innerText()).toMatch(/_PROCESS was acquired by worker-3-\d+/)
  expect(await walk.button(page, 'Go on: Let the old locks end').isDisabled()).toBe(true)
  await forgotten.stop()
  await goOnTo(page, 'Let the old locks end')
}

/** What a dead machine left, and a program that somebody starts again: each is named with why its lock is there. */
async function drain(app: Application, page: Page): Promise<void> {
  const row = (key: string) => walk.table(page, 'Still held').getByRole('row').filter({ hasText: key })
  await expect.poll(() => row('LEDGER_PROCESS').innerText()).toMatch(/ledger-0.*\s+ends far in the future/)
  const stray = await app.start('scheduler', { keys: ['NIGHTLY_PROCESS'], ttl: '3s', hold: true })
  await expect
    .poll(() => row('NIGHTLY_PROCESS').innerText())
    .toMatch(/scheduler-0.*\s+its holder extends it, \d+ times? so far/)
  expect(await walk.main(page).innerText()).toMatch(/2 will not end soon: held by .*scheduler-0/)
  const trouble = walk.trouble(page, /taken in the old store after its workers had stopped/)
  expect(await trouble.innerText()).toMatch(/scheduler-0.*\s+lockRecharge:NIGHTLY_PROCESS/)
  await stray.stop()
  await trouble.getByRole('button', { name: 'Back to stopping the workers' }).click()
  await isAt(page, 'Stop the workers')
  await goOnTo(page, 'Let the old locks end')
  expect(await trouble.count()).toBe(0)
}

/** Nobody ends the lock of a machine that is gone: somebody has to be sure, and release it. */
async function releaseOfTheDead(page: Page): Promise<void> {
  expect(await walk.check(page).innerText()).toContain('1 lock is held in cache, and will not end soon.')
  await walk.table(page, 'Still held').getByRole('button', { name: 'lockRecharge:LEDGER_PROCESS' }).click()
  await screen.inspector(page).getByRole('button', { name: 'Release…' }).click()
  const dialog = screen.dialog(page, 'Release lock')
  await dialog.getByRole('textbox', { name: /Reason/ }).fill('the machine is gone')
  await dialog.getByRole('button', { name: /^Release/ }).click()
  await dialog
    .getByRole('button', { name: /^(Close|Done)/ })
    .first()
    .click()
  await goOnTo(page, 'Change the provider')
}

async function change(app: Application, { page, dataFolder }: Console): Promise<void> {
  await page.getByRole('textbox', { name: 'File with the settings' }).fill(app.env)
  await walk.button(page, 'Show the difference').click()
  const difference = walk.table(page, 'What would change')
  expect(await difference.innerText()).toMatch(
    /4\s+−\s+LOCK_PROVIDER=redis # redis, mysql o dynamodb\s+4\s+\+\s+LOCK_PROVIDER=mysql # redis, mysql o dynamodb/,
  )
  expect(await walk.main(page).innerText()).not.toContain('hunter2')
  expect(readFileSync(app.env, 'utf8')).toBe(app.text)
  expect(await walk.button(page, 'Go on: Clean the old provider').isDisabled()).toBe(true)
  await walk.button(page, 'Change the file and keep a copy').click()
  await walk.check(page).getByText('The file says LOCK_PROVIDER=mysql.').waitFor()
  expect(readFileSync(app.env, 'utf8')).toBe(app.text.replace('LOCK_PROVIDER=redis', 'LOCK_PROVIDER=mysql'))
  const copies = envCopies(dataFolder)
  expect(copies.map(copy => readFileSync(copy, 'utf8'))).toEqual([app.text])
  await goOnTo(page, 'Clean the old provider')
}

async function clean(app: Application, page: Page): Promise<void> {
  expect(await walk.button(page, 'Go on: Start the workers again').isDisabled()).toBe(true)
  await walk.button(page, 'Make a release plan…').click()
  const sheet = await planSheet(page, /^Release 1 lock$/)
  await planRow(sheet, 'OLD_PROCESS').waitFor()
  expect(await app.from.names()).toContain('OLD_PROCESS')
  await goOn(sheet)
  await confirm(sheet, { typed: ['cache 1'], reason: 'left behind' })
  expect(await outcome(sheet)).toContain('1 released')
  await page.keyboard.press('Escape')
  expect(await app.from.names()).not.toContain('OLD_PROCESS')
  await goOnTo(page, 'Start the workers again')
}

async function restart(app: Application, page: Page): Promise<Worker[]> {
  await walk
    .main(page)
    .getByText(/Waiting for a worker in database/)
    .waitFor()
  expect(await walk.button(page, 'Go on: Verify').isDisabled()).toBe(true)
  const workers = await Promise.all(['worker-4', 'worker-5'].map(name => app.start(name)))
  for (const worker of workers) expect(worker.said()).toContain('provider mysql')
  await goOnTo(page, 'Verify')
  return workers
}

/** A program that looks for its lock in another store when the first does not answer: the oldest way to break everything. */
async function fallBack(app: Application, page: Page): Promise<void> {
  const job = { keys: ['INVOICE_PROCESS'], hold: true }
  const right = await app.start('invoices', job)
  const fallback = await app.startWithOldSettings('fallback', job)
  const split = walk.trouble(page, /^One name is held in both stores at once$/)
  await expect.poll(() => split.innerText()).toMatch(/INVOICE_PROCESS\s+fallback-0 .*\s+invoices-0/)
  await split.getByText('Why two providers at once break').click()
  await split.getByText(/fell back to the second one/).waitFor()
  expect(await walk.check(page).innerText()).toContain('1 name is held in both stores at once.')
  expect(await walk.button(page, 'Finish').isDisabled()).toBe(true)
  expect(await walk.main(page).getByRole('meter', { name: 'The old store is quiet' }).count()).toBe(0)
  await page.getByRole('button', { name: /^Alerts/ }).click()
  const alerts = page
    .getByRole('list', { name: 'Alerts that go on' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Held in two stores' }) })
  await alerts.getByText('INVOICE_PROCESS').first().waitFor()
  await alerts
    .getByText(/the first store did not answer, so a program fell back/)
    .first()
    .waitFor()
  await shot(page, 'web', '7-alert')
  await openSwitches(page)
  await shot(page, 'web', '7-split')
  await fallback.stop()
  await expect.poll(() => split.count()).toBe(0)
  await right.stop()
}

/** It was seen, so that no quiet is enough: the programs count as stopped anew, and those that run have to show themselves again. */
async function beginAnew(page: Page): Promise<void> {
  await expect
    .poll(() => walk.check(page).innerText())
    .toMatch(/INVOICE_PROCESS was held in cache by fallback-0.* and in database by invoices-0.* at once/)
  expect(await walk.button(page, 'Finish').isDisabled()).toBe(true)
  await walk.button(page, 'Back to stopping the workers').click()
  await isAt(page, 'Stop the workers')
  // What was acquired in the new store the time before counts no more.
  const again = walk.steps(page).filter({ hasText: 'Start the workers again' })
  await expect.poll(() => again.innerText()).not.toContain('already so')
  for (const title of [
    'Let the old locks end',
    'Change the provider',
    'Clean the old provider',
    'Start the workers again',
    'Verify',
  ])
    await goOnTo(page, title)
}

/** The report as it is on the operator's disk. */
async function savedReport({ page, app, dataFolder }: Console): Promise<string> {
  await page.getByRole('radio', { name: 'Markdown' }).check()
  const path = join(dataFolder, 'switch.md')
  if (app) {
    // Stands for the operator in the dialog that asks where to.
    await app.evaluate(({ session }, to) => {
      session.defaultSession.on('will-download', (_event, item) => item.setSavePath(to))
    }, path)
    await walk.button(page, 'Save the report').click()
  } else {
    const download = page.waitForEvent('download')
    await walk.button(page, 'Save the report').click()
    await (await download).saveAs(path)
  }
  await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('How the two differ')
  return readFile(path, 'utf8')
}

describe.each(HOSTS)('a switch from Redis to MariaDB, in %s', host => {
  it('runs from the first step to the report, with programs at work', async () => {
    const { app, console, page, workers } = await openWalk(host)
    await shot(page, host, '1-understand')
    await understand(page)
    const ledger = await app.start('ledger', { keys: ['LEDGER_PROCESS'], hold: true })
    await ledger.kill()
    await stop(page, workers)
    await shot(page, host, '3-drain')
    await drain(app, page)
    await releaseOfTheDead(page)
    await change(app, console)
    await clean(app, page)
    await restart(app, page)
    await shot(page, host, '7-verify')
    if (host === 'web') {
      await fallBack(app, page)
      await beginAnew(page)
    }
    await walk.button(page, 'Finish').click()
    await page.getByRole('heading', { name: 'Finished', exact: true }).waitFor()
    await shot(page, host, '8-finished')
    expect(await app.from.names()).toEqual([])
    const report = await savedReport(console)
    for (const said of [
      'scheduler-0',
      'NIGHTLY_PROCESS',
      app.env,
      '.env.lockkeeper-',
      '1 released',
      'left behind',
    ])
      expect(report).toContain(said)
    for (const title of ['Understand the change', 'Clean the old provider', 'Verify'])
      expect(report).toMatch(new RegExp(`${title} *\\|.*its check was met`))
    expect(report).not.toContain('by hand')
    if (host === 'web') expect(report).toMatch(/INVOICE_PROCESS.*fallback-0.*invoices-0/)
    expect(console.problems).toEqual([])
  })
})
