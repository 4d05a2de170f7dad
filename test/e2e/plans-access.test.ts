import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { loadAxe, troubles } from './axe.ts'
import { openConsole } from './console.ts'
import { rechargeJson } from './places.ts'
import { confirm, goOn, outcome, planRow, planSheet, releaseAll } from './plan-screen.ts'
import { screen } from './screen.ts'

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '\u202egnitsac\u202c',
  'a\nb\tc\x1b[31m',
  '=HYPERLINK("http://x")',
]

it('plans and the audit log stay accessible with hostile lock names', async () => {
  const redis = await redisPlace()
  for (const text of HOSTILE)
    await redis.client.set(`lockRecharge:${text}`, rechargeJson(text), 'PX', 3_600_000)
  const { page, problems, dataFolder } = await openConsole('web', {
    stores: [{ name: 'cache <b>', address: redis.address, production: true }],
  })
  await screen.row(page, 'HYPERLINK').waitFor()
  await loadAxe(page)
  const found: string[] = []
  const look = async (where: string) =>
    void found.push(...(await troubles(page, where, { light: [1280], dark: [700] })))

  const sheet = await releaseAll(page)
  await planRow(sheet, 'HYPERLINK').waitFor()
  for (const by of ['Holder', 'Format', 'State', 'Store']) await sheet.getByRole('tab', { name: by }).click()
  await look('review')
  await goOn(sheet)
  await look('confirm')
  await confirm(sheet, { typed: ['cache <b> 5'], reason: HOSTILE.join(' '), rate: 2 })
  await sheet.getByRole('progressbar').waitFor()
  await sheet.getByRole('button', { name: 'Pause' }).click()
  await sheet.getByText('Paused', { exact: true }).waitFor()
  await look('run')
  await sheet.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect.poll(() => outcome(sheet)).toBe('Of 5 locks: 5 released.')
  await look('result')
  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  const csv = await (await (await download).createReadStream()).toArray()
  const lines = Buffer.concat(csv).toString('utf8')
  expect(lines).toContain('HYPERLINK')
  // No cell begins as a formula would.
  expect(lines).not.toMatch(/(^|,)"?[=+@-]/m)
  await sheet.getByRole('button', { name: /^Undo…/ }).click()
  await planSheet(page, /^Restore 5 locks$/)
  await look('undo')
  await page.keyboard.press('Escape')
  const damaged = join(dataFolder, 'plans', 'damaged.plan')
  writeFileSync(damaged, HOSTILE.join('\n'), { mode: 0o600 })
  await page.getByRole('button', { name: 'Plans', exact: true }).click()
  const all = screen.dialog(page, 'Plans')
  await all.getByText(/5 released/).waitFor()
  const unused = all.getByRole('list', { name: 'Not used' }).getByRole('listitem')
  await unused.getByText('This is not a plan file that this version can read').waitFor()
  await look('plans')
  await unused.getByRole('button', { name: 'Remove damaged' }).click()
  await unused.getByRole('button', { name: 'Remove it?' }).click()
  await unused.waitFor({ state: 'detached' })
  expect(existsSync(damaged)).toBe(false)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Audit log' }).click()
  const log = screen.dialog(page, 'Audit log')
  await log.getByRole('button', { name: 'Verify' }).click()
  await log.getByText(/The chain holds/).waitFor()
  await log
    .getByRole('button', { name: /^Show the whole entry/ })
    .first()
    .click()
  await look('audit')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
