import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Wire } from '../core/stores/mysql/database.ts'
import { redisPlace } from '../core/stores/redis/place.ts'
import { HOSTS, openConsole } from './console.ts'
import { dynamoPlace, mysqlPlace, rechargeJson, takeItem, takeRow } from './places.ts'
import { askRelease, screen, storeAction } from './screen.ts'

async function release(page: Page, key: string, reason: string): Promise<string> {
  const dialog = await askRelease(page, key)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await dialog.getByRole('button', { name: 'Release', exact: true }).click()
  const answer = await dialog.getByRole('status').innerText()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  return answer
}

describe.each(HOSTS)('releasing, in %s', host => {
  it('releases exactly the requested lock, with an audit trail', async () => {
    const redis = await redisPlace()
    const mysql = await mysqlPlace()
    const dynamo = await dynamoPlace()
    for (const name of ['one', 'two']) {
      await redis.client.set(`lockRecharge:${name}`, rechargeJson(`worker-${name}`))
      await takeRow(mysql.database, `row-${name}`, `worker-${name}`)
      await takeItem(dynamo.table, `item-${name}`, `worker-${name}`)
    }
    const { page, audit, problems } = await openConsole(host, {
      stores: [
        { name: 'cache', address: redis.address },
        { name: 'orders', address: mysql.address },
        { name: 'pipelines', address: dynamo.address },
      ],
    })
    expect(await release(page, 'lockRecharge:one', 'stuck since noon')).toBe('Released.')
    expect(await release(page, 'row-one', 'worker is gone')).toBe('Released.')
    expect(await release(page, 'item-one', 'worker is gone too')).toBe('Released.')

    expect(await redis.client.keys('*')).toEqual(['lockRecharge:two'])
    const rows = await mysql.database.rows('SELECT lock_key FROM recargas_process_locks')
    expect(rows.map(row => row['lock_key'])).toEqual(['row-two'])
    expect(await dynamo.table.get({ lock_key: { S: 'item-one' } })).toBeNull()
    expect(await dynamo.table.get({ lock_key: { S: 'item-two' } })).not.toBeNull()
    await expect.poll(() => screen.row(page, 'lockRecharge:one').count()).toBe(0)
    expect(await screen.row(page, 'lockRecharge:two').count()).toBe(1)

    const entries = (await audit()).filter(entry => entry['method'] === 'locks.release')
    expect(entries.map(entry => [entry['event'], entry['outcome'] ?? entry['reason']])).toEqual([
      ['intent', 'stuck since noon'],
      ['outcome', 'released'],
      ['intent', 'worker is gone'],
      ['outcome', 'released'],
      ['intent', 'worker is gone too'],
      ['outcome', 'released'],
    ])
    expect(problems).toEqual([])
  })
})

describe('releasing with care', () => {
  it('requires the store name and a reason in production, and refuses in a read-only store', async () => {
    const [prod, fixed] = [await redisPlace(), await redisPlace()]
    await prod.client.set('lockRecharge:prod', rechargeJson('worker-1'))
    await fixed.client.set('lockRecharge:fixed', rechargeJson('worker-2'))
    const { page } = await openConsole('web', {
      stores: [
        { name: 'payments', address: prod.address, production: true },
        { name: 'archive', address: fixed.address, readOnly: true },
      ],
    })
    const refused = await askRelease(page, 'lockRecharge:fixed')
    await refused.getByText('This store is set to read-only in Lockkeeper').waitFor()
    expect(await refused.getByRole('button', { name: 'Release', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await refused.waitFor({ state: 'detached' })

    const dialog = await askRelease(page, 'lockRecharge:prod')
    const confirm = dialog.getByRole('button', { name: 'Release', exact: true })
    const name = dialog.getByRole('textbox', { name: 'Type payments to confirm' })
    expect(await confirm.isDisabled()).toBe(true)
    await name.fill('payments')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the worker was shot')
    expect(await confirm.isEnabled()).toBe(true)
    await name.fill('Payments')
    expect(await confirm.isDisabled()).toBe(true)
    await name.fill('payments')
    await confirm.click()
    await dialog.getByText('Released.').waitFor()
    expect(await prod.client.exists('lockRecharge:prod')).toBe(0)
    expect(await fixed.client.exists('lockRecharge:fixed')).toBe(1)
  })

  it('requires the name of the production store on the same server, which may be closed', async () => {
    const { client, address } = await redisPlace()
    await client.set('lockRecharge:prod', rechargeJson('worker-1'))
    const copy = { name: 'copy', address: address.replace('127.0.0.1', 'localhost') }
    const { page } = await openConsole('web', {
      stores: [{ name: 'payments', address, production: true }, copy],
    })
    await storeAction(page, 'payments', 'Close')
    await screen.store(page, 'payments').getByText('closed').waitFor()
    await screen.store(page, 'copy').getByText('PROD').waitFor()
    await screen.store(page, 'copy').getByText('Same server as payments').waitFor()
    await storeAction(page, 'copy', 'Edit…')
    const edit = screen.dialog(page, 'Edit store')
    await edit.getByText('Same server as payments').waitFor()
    // What was decided about this store itself.
    expect(await edit.getByRole('checkbox', { name: 'Production' }).isChecked()).toBe(false)
    await page.keyboard.press('Escape')

    const dialog = await askRelease(page, 'lockRecharge:prod')
    const confirm = dialog.getByRole('button', { name: 'Release', exact: true })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the worker was shot')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Type payments to confirm' }).fill('payments')
    await confirm.click()
    await dialog.getByText('Released.').waitFor()
    expect(await client.exists('lockRecharge:prod')).toBe(0)
  })

  it('reports a new holder or a vanished lock while the dialog is open', async () => {
    const redis = await redisPlace()
    await redis.client.set('lockRecharge:moving', rechargeJson('worker-1'))
    await redis.client.set('lockRecharge:going', rechargeJson('worker-1'))
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    const dialog = await askRelease(page, 'lockRecharge:moving')
    const confirm = dialog.getByRole('button', { name: 'Release', exact: true })
    expect(await confirm.isEnabled()).toBe(true)
    await redis.client.set('lockRecharge:moving', rechargeJson('worker-2'))
    await dialog.getByText('it is held by worker-2').waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Look at it as it is now' }).click()
    await expect.poll(() => confirm.isEnabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    const other = await askRelease(page, 'lockRecharge:going')
    await redis.client.del('lockRecharge:going')
    await other.getByText('The lock is gone').waitFor()
    expect(await other.getByRole('button', { name: 'Release', exact: true }).isDisabled()).toBe(true)
  })

  it('touches nothing while the screen has not seen the new holder', async () => {
    const dynamo = await dynamoPlace()
    await takeItem(dynamo.table, 'raced', 'worker-1')
    await takeItem(dynamo.table, 'vanished', 'worker-1')
    const { page, audit } = await openConsole('web', {
      stores: [{ name: 'pipelines', address: dynamo.address }],
    })
    // DynamoDB is read every five seconds: what happens between two readings, the screen does not know.
    const dialog = await askRelease(page, 'raced')
    const confirm = dialog.getByRole('button', { name: 'Release', exact: true })
    await confirm.waitFor()
    await takeItem(dynamo.table, 'raced', 'worker-2')
    await confirm.click()
    await dialog.getByText('Not released: it is held by worker-2 now. Nothing was touched.').waitFor()
    expect((await dynamo.table.get({ lock_key: { S: 'raced' } }))?.['owner_id']).toEqual({ S: 'worker-2' })
    await dialog.getByRole('button', { name: 'Close' }).click()

    const other = await askRelease(page, 'vanished')
    await dynamo.table.delete({ lock_key: { S: 'vanished' } })
    await other.getByRole('button', { name: 'Release', exact: true }).click()
    await other.getByText('Already gone. Nothing was touched.').waitFor()
    const outcomes = (await audit()).filter(entry => entry['event'] === 'outcome')
    expect(outcomes.map(entry => entry['outcome'])).toEqual(['changed', 'gone'])
  })

  it('reports an uncertain release as uncertain', async () => {
    const { database, address } = await mysqlPlace()
    await takeRow(database, 'row-one', 'worker-one')
    const wire = await Wire.to(database.port)
    onTestFinished(() => wire.close())
    const through = address.replace(`:${database.port}/`, `:${wire.port}/`)
    const { page } = await openConsole('web', { stores: [{ name: 'orders', address: through }] })
    await screen.row(page, 'row-one').waitFor()
    wire.mode = 'cut-after-write'
    const answer = await release(page, 'row-one', 'worker is gone')
    expect(answer).toMatch(
      /^It is not known for certain whether it was released\..*may or may not have happened/,
    )
    expect(answer).not.toContain('Not released')
    expect(await database.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })
})

describe('releasing by mistake', () => {
  it('is not possible with two quick keys, nor for a row that a filter hides', async () => {
    const redis = await redisPlace()
    for (const name of ['one', 'two']) await redis.client.set(`lockRecharge:${name}`, rechargeJson('worker'))
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    await screen.row(page, 'lockRecharge:one').click()
    await page.keyboard.press('Delete')
    await screen.dialog(page, 'Release lock').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await screen.dialog(page, 'Release lock').waitFor({ state: 'detached' })

    await screen.filter(page).fill('key:two')
    await expect.poll(() => screen.row(page, 'lockRecharge:one').count()).toBe(0)
    await screen.grid(page).focus()
    for (const key of ['Delete', ' ', 'Enter']) await page.keyboard.press(key)
    expect(await screen.dialog(page, 'Release lock').count()).toBe(0)
    expect((await redis.client.keys('*')).sort()).toEqual(['lockRecharge:one', 'lockRecharge:two'])
  })

  it('is not possible on another server to which the store was moved', async () => {
    const [first, second] = [await redisPlace(), await redisPlace()]
    // The same key with the same value, as holders that look alike write it.
    for (const place of [first, second]) await place.client.set('lock:x', '1')
    await first.client.set('lock:only-here', '1')
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: first.address }] })
    await screen.row(page, 'lock:only-here').waitFor()
    await storeAction(page, 'cache', 'Edit…')
    const form = screen.dialog(page, 'Edit store')
    await form.getByRole('textbox', { name: 'Address' }).fill(second.address)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await expect.poll(() => screen.row(page, 'lock:only-here').count()).toBe(0)
    await screen.row(page, 'lock:x').waitFor()
    expect(await release(page, 'lock:x', 'seen in the second')).toMatch(/^Released\./)
    expect(await first.client.exists('lock:x')).toBe(1)
    expect(await second.client.exists('lock:x')).toBe(0)
  })

  it('explains that the holders look alike', async () => {
    const redis = await redisPlace()
    await redis.client.set('lock:x', '1', 'PX', 60_000)
    const { page } = await openConsole('web', { stores: [{ name: 'cache', address: redis.address }] })
    const dialog = await askRelease(page, 'lock:x')
    await dialog.getByText(/may be the same for every holder/).waitFor()
    await redis.client.set('lock:x', '1', 'PX', 90_000)
    await dialog.getByText(/renewed, or taken again by another holder/).waitFor()
    expect(await dialog.getByRole('button', { name: 'Release', exact: true }).isDisabled()).toBe(true)
  })
})
