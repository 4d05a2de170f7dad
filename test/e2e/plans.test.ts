import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../core/stores/redis/place.ts'
import { HOSTS, openConsole } from './console.ts'
import { mysqlPlace, rechargeJson, takeRow } from './places.ts'
import {
  confirm,
  confirmationField,
  goOn,
  outcome,
  planRow,
  planSheet,
  releaseAll,
  wantedIn,
} from './plan-screen.ts'
import { screen, storeAction } from './screen.ts'

const TIMEOUT = 180_000

describe.each(HOSTS)('releasing all, in %s', host => {
  it('plans, excludes, confirms, shows progress, stops, resumes and undoes', async () => {
    const redis = await redisPlace()
    const mysql = await mysqlPlace()
    for (let i = 0; i < 60; i++)
      await redis.client.set(`lockRecharge:job-${i}`, rechargeJson(`worker-${i % 3}`), 'PX', 3_600_000)
    // The table sorts by the time left: this row is in view.
    await takeRow(mysql.database, 'row-one', 'worker-sql', 1800)
    const { page, audit, problems, dataFolder } = await openConsole(host, {
      stores: [
        { name: 'cache', address: redis.address },
        { name: 'orders', address: mysql.address },
      ],
    })
    // Both stores are in the plan once both were read.
    for (const name of ['row-one', 'job-0']) await screen.row(page, name).waitFor()
    const sheet = await releaseAll(page)
    await sheet.getByText('60', { exact: true }).first().waitFor()

    // A lock that appears now is not in it.
    await redis.client.set('lockRecharge:late', rechargeJson('late worker'))
    // A store is excluded, and one lock.
    await sheet.getByRole('button', { name: 'Exclude orders' }).click()
    await planSheet(page, /^Release 60 locks$/)
    await sheet.getByRole('textbox', { name: 'Find in the plan' }).fill('job-59')
    await planRow(sheet, 'job-59').getByRole('button', { name: 'Exclude lockRecharge:job-59' }).click()
    await planSheet(page, /^Release 59 locks$/)
    await goOn(sheet)

    const button = sheet.getByRole('button', { name: 'Release 59 locks' })
    const typed = confirmationField(sheet, 'cache 59')
    const wanted = await wantedIn(typed)
    expect(await sheet.getByRole('textbox', { name: /Type orders/ }).count()).toBe(0)
    await sheet.getByRole('textbox', { name: 'Reason' }).fill('the workers are gone')
    for (const wrong of [
      'cache',
      'cache 59',
      'cache 59-',
      wanted.replace('59', '60'),
      wanted.replace('c', 'C'),
    ]) {
      await typed.fill(wrong)
      await typed.blur()
      await sheet.getByText('Not a match.').waitFor()
      expect(await button.isDisabled()).toBe(true)
    }
    expect(await redis.client.dbsize()).toBe(61)

    await confirm(sheet, { typed: ['cache 59'], reason: 'the workers are gone', rate: 20 })
    const bar = sheet.getByRole('progressbar', { name: 'Progress of the release' })
    await bar.waitFor()
    await expect
      .poll(async () => Number(await bar.getAttribute('aria-valuenow')), { timeout: TIMEOUT })
      .toBeGreaterThan(0)
    await sheet.getByRole('button', { name: 'Pause' }).click()
    await sheet.getByText('Paused', { exact: true }).waitFor()
    const resting = await redis.client.dbsize()
    await sheet.getByRole('button', { name: 'Resume', exact: true }).click()
    await expect.poll(() => redis.client.dbsize(), { timeout: TIMEOUT }).toBeLessThan(resting)
    await sheet.getByRole('button', { name: 'Stop' }).click()
    const half = await outcome(sheet)
    const left = (await redis.client.dbsize()) - 2
    expect(left).toBeGreaterThan(0)
    expect(half).toBe(`Of 59 locks: ${59 - left} released; ${left} were not attempted.`)

    await sheet.getByRole('button', { name: `Resume with ${left} left…` }).click()
    await confirm(sheet, { typed: ['cache 59'], reason: 'and now the rest', rate: 1000 })
    await expect.poll(() => outcome(sheet), { timeout: TIMEOUT }).toBe('Of 59 locks: 59 released.')
    await sheet.getByText('None was re-acquired by its previous holder.').waitFor()
    expect((await redis.client.keys('*')).sort()).toEqual(['lockRecharge:job-59', 'lockRecharge:late'])
    expect(await mysql.database.rows('SELECT lock_key FROM recargas_process_locks')).toHaveLength(1)

    // Another holder takes one of them; the others are restored.
    await redis.client.set('lockRecharge:job-7', rechargeJson('the next one'))
    await sheet.getByRole('button', { name: /^Undo…/ }).click()
    const undo = await planSheet(page, /^Restore 59 locks$/)
    await goOn(undo)
    await confirm(undo, { typed: ['cache 59'], reason: 'it was the wrong store', rate: 1000 })
    await expect
      .poll(() => outcome(undo), { timeout: TIMEOUT })
      .toBe('Of 59 locks: 58 restored; 1 is held again and was not touched.')
    expect(await redis.client.dbsize()).toBe(61)
    expect(await redis.client.get('lockRecharge:job-7')).toContain('the next one')
    expect(await redis.client.get('lockRecharge:job-8')).toContain('worker-2')
    expect(await redis.client.pttl('lockRecharge:job-8')).toBeGreaterThan(3_000_000)

    const lines = await audit()
    const settled = lines.filter(line => line['event'] === 'settled').map(line => line['outcome'])
    expect(settled.filter(each => each === 'released')).toHaveLength(59)
    expect(settled.filter(each => each === 'restored')).toHaveLength(58)
    expect(JSON.stringify(lines)).not.toContain('worker-2')
    expect(existsSync(join(dataFolder, 'plans'))).toBe(true)
    expect(problems).toEqual([])
  })

  it('undoes a single release', { timeout: TIMEOUT }, async () => {
    const redis = await redisPlace()
    await redis.client.set('lockRecharge:one', rechargeJson('worker-1'), 'PX', 3_600_000)
    const { page } = await openConsole(host, { stores: [{ name: 'cache', address: redis.address }] })
    await screen.row(page, 'lockRecharge:one').first().click()
    await screen.inspector(page).getByRole('button', { name: 'Release…' }).click()
    const dialog = screen.dialog(page, 'Release lock')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('a mistake')
    await dialog.getByRole('button', { name: 'Release', exact: true }).click()
    await dialog.getByText('Released.').waitFor()
    expect(await redis.client.exists('lockRecharge:one')).toBe(0)
    await dialog.getByRole('button', { name: /^Undo…/ }).click()
    const undo = await planSheet(page, /^Restore 1 lock$/)
    await goOn(undo)
    await confirm(undo, { typed: ['cache 1'], reason: 'it was alive' })
    expect(await outcome(undo)).toBe('Of 1 lock: 1 restored.')
    expect(await redis.client.get('lockRecharge:one')).toContain('worker-1')
  })
})

describe('plans with care', () => {
  it('releases a selection and nothing else', { timeout: TIMEOUT }, async () => {
    const redis = await redisPlace()
    for (const name of ['one', 'two', 'three'])
      await redis.client.set(`lockRecharge:${name}`, rechargeJson(name), 'PX', 3_600_000)
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    for (const name of ['one', 'three'])
      await screen.row(page, `lockRecharge:${name}`).click({ modifiers: ['ControlOrMeta'] })
    const sheet = await releaseAll(page, 'Release 2 selected…')
    await goOn(sheet)
    await confirm(sheet, { typed: ['cache 2'], reason: 'both are stuck' })
    expect(await outcome(sheet)).toBe('Of 2 locks: 2 released.')
    expect(await redis.client.keys('*')).toEqual(['lockRecharge:two'])
  })

  it('shows the locks that changed since the plan was made, and touches none of them', {
    timeout: TIMEOUT,
  }, async () => {
    const redis = await redisPlace()
    for (const name of ['one', 'two', 'three'])
      await redis.client.set(`lockRecharge:${name}`, rechargeJson(name), 'PX', 3_600_000)
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await screen.row(page, 'lockRecharge:three').waitFor()
    const sheet = await releaseAll(page)
    await redis.client.del('lockRecharge:one')
    await redis.client.set('lockRecharge:two', rechargeJson('another'))
    await sheet.getByRole('button', { name: 'Check for changes' }).click()
    await sheet.getByRole('button', { name: '1 gone since' }).waitFor()
    await sheet.getByRole('button', { name: '1 changed since' }).waitFor()
    await goOn(sheet)
    await confirm(sheet, { typed: ['cache 3'], reason: 'stuck' })
    expect(await outcome(sheet)).toBe(
      'Of 3 locks: 1 released; 1 had changed and was not touched; 1 was already gone.',
    )
    expect(await redis.client.get('lockRecharge:two')).toContain('another')
  })

  it('keeps running without the page, and a reloaded page finds it', { timeout: TIMEOUT }, async () => {
    const redis = await redisPlace()
    for (let i = 0; i < 50; i++)
      await redis.client.set(`lockRecharge:job-${i}`, rechargeJson('w'), 'PX', 3_600_000)
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await screen.row(page, 'job-1').first().waitFor()
    const sheet = await releaseAll(page)
    await goOn(sheet)
    await confirm(sheet, { typed: ['cache 50'], reason: 'stuck', rate: 10 })
    await sheet.getByRole('progressbar').waitFor()
    await page.reload()
    await screen
      .status(page)
      .getByRole('button', { name: /^Releasing / })
      .click()
    const again = await planSheet(page, /^Release 50 locks$/)
    await again.getByLabel('Locks a second, for each store', { exact: true }).fill('1000')
    await again.getByRole('button', { name: 'Set' }).click()
    await expect.poll(() => outcome(again), { timeout: TIMEOUT }).toBe('Of 50 locks: 50 released.')
    expect(await redis.client.dbsize()).toBe(0)
  })

  it('makes no plan for a read-only store', { timeout: TIMEOUT }, async () => {
    const redis = await redisPlace()
    await redis.client.set('lockRecharge:fixed', rechargeJson('w'))
    const { page } = await openConsole('web', {
      stores: [{ name: 'archive', address: redis.address, readOnly: true }],
    })
    await screen.row(page, 'lockRecharge:fixed').waitFor()
    await page.getByRole('button', { name: 'Release all…', exact: true }).click()
    await page.getByText(/archive: set to read-only/).waitFor()
    await page.keyboard.press('Escape')
    await storeAction(page, 'archive', 'Release all…')
    await page.getByText(/archive: set to read-only/).waitFor()
    expect(await redis.client.exists('lockRecharge:fixed')).toBe(1)
  })

  it('shows the audit log, and reports that it was modified', { timeout: TIMEOUT }, async () => {
    const redis = await redisPlace()
    await redis.client.set('lockRecharge:one', rechargeJson('worker-1'), 'PX', 3_600_000)
    const { page, dataFolder, problems } = await openConsole('web', {
      stores: [{ name: 'cache', address: redis.address }],
    })
    await screen.row(page, 'lockRecharge:one').waitFor()
    const sheet = await releaseAll(page)
    await goOn(sheet)
    await confirm(sheet, { typed: ['cache 1'], reason: 'stuck since <b>noon</b>' })
    expect(await outcome(sheet)).toBe('Of 1 lock: 1 released.')
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Audit log' }).click()
    const log = screen.dialog(page, 'Audit log')
    await log.getByText('stuck since <b>noon</b>').first().waitFor()
    await log.getByRole('textbox', { name: 'Filter the audit log' }).fill('event:settled released')
    await log.getByText('lockRecharge:one').first().waitFor()
    await log.getByRole('button', { name: 'Verify' }).click()
    await log.getByText(/The chain holds: \d+ lines in 1 file\./).waitFor()

    const [name = ''] = readdirSync(dataFolder).filter(each => /^audit-\d+\.jsonl$/.test(each))
    const path = join(dataFolder, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"released"', '"gone"'))
    await log.getByRole('button', { name: 'Verify' }).click()
    await log.getByText(/The log is damaged: 1 file is not as written/).waitFor()
    expect(problems).toEqual([])
  })
})
