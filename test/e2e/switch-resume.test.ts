import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { application } from '../proof/switch/application.ts'
import { type Console, openConsole } from './console.ts'
import { confirm, goOn, outcome, planSheet } from './plan-screen.ts'
import { begin, goOnTo, isAt, openSwitches, setQuiet, walk } from './walk-screen.ts'

const QUIET_MS = 2000

/** The console dies without a word, and is started again on the same folder. */
async function killed({ pid, dataFolder, close }: Console): Promise<Console> {
  process.kill(pid, 'SIGKILL')
  await close()
  const again = await openConsole('web', { dataFolder })
  await openSwitches(again.page)
  return again
}

/** How many are marked as done, with when. */
async function done(page: Page): Promise<number> {
  const texts = await walk.steps(page).allInnerTexts()
  return texts.filter(text => /\bdone \d/.test(text)).length
}

it('a switch continues at the step where its console was killed, with its observations', async () => {
  const app = await application('redis', 'mysql')
  await app.from.hold('OLD_PROCESS', 'old-1', -60_000)
  const worker = await app.start('worker-1')
  let console = await openConsole('web', {
    stores: [
      { name: 'cache', address: app.from.address },
      { name: 'database', address: app.to.address },
    ],
  })
  await begin(console.page, 'cache', 'database')
  await setQuiet('web', console.page, { fromStoreId: 'store-0', toStoreId: 'store-1', quietMs: QUIET_MS })

  console = await killed(console)
  await isAt(console.page, 'Understand the change')
  await goOnTo(console.page, 'Stop the workers')

  console = await killed(console)
  await isAt(console.page, 'Stop the workers')
  await walk
    .main(console.page)
    .getByText(/^Still at work: .*worker-1/)
    .waitFor()
  await worker.stop()
  await goOnTo(console.page, 'Let the old locks end')

  const strays = (page: Page) => walk.trouble(page, /taken in the old store after its workers had stopped/)
  const stray = await app.start('scheduler', { keys: ['NIGHTLY_PROCESS'], hold: true })
  await strays(console.page).getByText('NIGHTLY_PROCESS').waitFor()
  console = await killed(console)
  await isAt(console.page, 'Let the old locks end')
  expect(await strays(console.page).innerText()).toMatch(/scheduler-0.*\s+lockRecharge:NIGHTLY_PROCESS/)
  // Known once the old store was read again.
  await expect.poll(() => walk.steps(console.page).nth(1).innerText()).toContain('no longer so')
  await stray.stop()
  await strays(console.page).getByRole('button', { name: 'Back to stopping the workers' }).click()
  await isAt(console.page, 'Stop the workers')
  await goOnTo(console.page, 'Let the old locks end')
  await goOnTo(console.page, 'Change the provider')

  await console.page.getByRole('textbox', { name: 'File with the settings' }).fill(app.env)
  await walk.button(console.page, 'Show the difference').click()
  const difference = (page: Page) => walk.table(page, 'What would change').getByText(/^LOCK_PROVIDER=mysql/)
  await difference(console.page).waitFor()
  console = await killed(console)
  await isAt(console.page, 'Change the provider')
  await difference(console.page).waitFor()
  expect(readFileSync(app.env, 'utf8')).toBe(app.text)
  await walk.button(console.page, 'Change the file and keep a copy').click()
  await walk
    .main(console.page)
    .getByText(/^Changed .* by /)
    .waitFor()
  console = await killed(console)
  await isAt(console.page, 'Change the provider')
  await walk
    .main(console.page)
    .getByText(/^Changed .* by /)
    .waitFor()
  await goOnTo(console.page, 'Clean the old provider')

  await walk.button(console.page, 'Make a release plan…').click()
  await planSheet(console.page, /^Release 1 lock$/)
  console = await killed(console)
  await isAt(console.page, 'Clean the old provider')
  await walk.main(console.page).getByText('1 plan was made for this switch.').waitFor()
  expect(await app.from.names()).toEqual(['OLD_PROCESS'])
  await walk.button(console.page, 'Make a release plan…').click()
  const sheet = await planSheet(console.page, /^Release 1 lock$/)
  await goOn(sheet)
  await confirm(sheet, { typed: ['cache 1'], reason: 'left behind' })
  expect(await outcome(sheet)).toContain('1 released')
  await console.page.keyboard.press('Escape')
  await goOnTo(console.page, 'Start the workers again')

  console = await killed(console)
  await isAt(console.page, 'Start the workers again')
  expect(await walk.button(console.page, 'Go on: Verify').isDisabled()).toBe(true)
  await app.start('worker-2')
  await goOnTo(console.page, 'Verify')

  console = await killed(console)
  await isAt(console.page, 'Verify')
  // Also before it has watched for long: nothing has happened since.
  await expect.poll(() => done(console.page)).toBe(6)
  await walk.button(console.page, 'Finish').click()
  await console.page.getByRole('heading', { name: 'Finished', exact: true }).waitFor()

  console = await killed(console)
  await walk.button(console.page, /^Look at it/).click()
  await console.page.getByRole('heading', { name: 'Finished', exact: true }).waitFor()
  const summary = await walk.main(console.page).innerText()
  expect(summary).toContain('1 lock was taken in the old store after its workers had stopped.')
  expect(summary).toContain('.env.lockkeeper-')
  expect(console.problems).toEqual([])
})
