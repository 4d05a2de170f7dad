import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Locator, Page } from 'playwright'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startRedis } from '../servers/redis.ts'
import { type Console, HOSTS, type Host, openConsole } from './console.ts'
import { dynamoPlace, mysqlPlace, rechargeJson, takeItem, takeRow } from './places.ts'
import { screen, storeAction } from './screen.ts'

const PASSWORD = 's3cret-of-the-test'

async function addDialog(page: Page): Promise<Locator> {
  await screen.stores(page).getByRole('button', { name: 'Add a store…' }).click()
  const dialog = screen.dialog(page, 'Add a store')
  await dialog.waitFor()
  return dialog
}

async function save(dialog: Locator, button = 'Add'): Promise<void> {
  await dialog.getByRole('button', { name: button, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function guardedRedis(): Promise<{ port: number; client: Redis }> {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  await client.config('SET', 'requirepass', PASSWORD)
  onTestFinished(async () => {
    client.disconnect()
    await server.stop('SIGKILL')
  })
  return { port: server.port, client }
}

async function saysHowLong(dialog: Locator, host: Host): Promise<void> {
  const field = dialog.getByLabel('Password', { exact: true })
  const hint = await field.getAttribute('aria-describedby')
  const words = await dialog.locator(`[id="${hint}"]`).innerText()
  expect(words).toContain('kept only while the console runs')
  expect(words).toContain(host === 'web' ? 'a browser has no keyring' : 'no keyring')
}

describe.each(HOSTS)('stores, in %s', host => {
  it('adds real stores, tests them, and restores them after a restart', async () => {
    const redis = await guardedRedis()
    await redis.client.set('lockRecharge:card', rechargeJson('worker-redis'))
    const mysql = await mysqlPlace()
    await takeRow(mysql.database, 'invoice-run', 'worker-mysql')
    const dynamo = await dynamoPlace()
    await takeItem(dynamo.table, 'settlement', 'worker-dynamo')
    const first = await openConsole(host)
    const { page, dataFolder } = first

    await pasteRedis(page, host, redis.port)
    await fillMysql(page, mysql.database.port, mysql.database.name)
    await fillDynamo(page, dynamo.table.name)
    for (const [key, owner, store] of [
      ['lockRecharge:card', 'worker-redis', 'cache'],
      ['invoice-run', 'worker-mysql', 'orders'],
      ['settlement', 'worker-dynamo', 'pipelines'],
    ] as const) {
      const row = screen.row(page, key)
      await row.waitFor()
      expect(await screen.cell(row, 'holder').innerText()).toContain(owner)
      expect(await screen.cell(row, 'store').innerText()).toContain(store)
    }
    expect(first.problems).toEqual([])

    await first.close()
    expect(await readFile(join(dataFolder, 'stores.json'), 'utf8')).not.toContain(PASSWORD)
    await restarted(await openConsole(host, { dataFolder }))
  })
})

describe('the list of stores', () => {
  it('renames, marks, duplicates, closes, opens and removes one', async () => {
    const { page } = await openConsole('web', { stores: [{ name: 'old', address: 'memory:practice' }] })
    await screen
      .store(page, 'old')
      .getByText(/live · /)
      .waitFor()
    await storeAction(page, 'old', 'Edit…')
    const edit = screen.dialog(page, 'Edit store')
    await edit.getByRole('textbox', { name: 'Name', exact: true }).fill('new')
    await edit.getByRole('checkbox', { name: 'Production' }).check()
    await save(edit, 'Save')
    await screen.store(page, 'new').getByText('PROD').waitFor()

    await storeAction(page, 'new', 'Duplicate…')
    const duplicate = screen.dialog(page, 'Duplicate store')
    await duplicate.getByRole('textbox', { name: 'Name', exact: true }).fill('copy')
    await save(duplicate)
    await screen
      .store(page, 'copy')
      .getByText(/live · /)
      .waitFor()

    await storeAction(page, 'copy', 'Close')
    await screen.store(page, 'copy').getByText('closed').waitFor()
    await storeAction(page, 'copy', 'Open')
    await screen
      .store(page, 'copy')
      .getByText(/live · /)
      .waitFor()

    await storeAction(page, 'copy', 'Remove…')
    const remove = screen.dialog(page, 'Remove store')
    await remove.getByText('Its locks are not touched').waitFor()
    await remove.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect.poll(() => screen.store(page, 'copy').count()).toBe(0)
    await expect.poll(() => screen.row(page, 'copy').count()).toBe(0)

    await storeAction(page, 'new', 'Close')
    await page.getByRole('heading', { name: 'No store is open' }).waitFor()
  })
})

async function pasteRedis(page: Page, host: Host, port: number): Promise<void> {
  const dialog = await addDialog(page)
  const address = dialog.getByRole('textbox', { name: 'Address', exact: true })
  await address.fill(`redis://:${PASSWORD}@127.0.0.1:${port}/0`)
  expect(await address.inputValue()).not.toContain(PASSWORD)
  expect(await dialog.getByLabel('Password', { exact: true }).inputValue()).toBe(PASSWORD)
  await saysHowLong(dialog, host)
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('cache')
  await dialog.getByRole('button', { name: 'Test', exact: true }).click()
  const report = dialog.getByRole('status')
  await report.getByText(/Redis \d+\.\S* answers in [\d.]+ ms/).waitFor()
  await report.getByText('1 Recharge JSON').waitFor()
  await report.getByText('This account may release locks').waitFor()
  await save(dialog)
  await screen
    .store(page, 'cache')
    .getByText(/live · 1 lock$/)
    .waitFor()
}

async function fillMysql(page: Page, port: number, database: string): Promise<void> {
  const dialog = await addDialog(page)
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('MySQL')
  await dialog.getByRole('textbox', { name: 'Host' }).fill(`127.0.0.1:${port}`)
  await dialog.getByRole('textbox', { name: 'Database' }).fill(database)
  await dialog.getByRole('textbox', { name: 'User' }).fill('root')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('orders')
  expect(await dialog.getByRole('textbox', { name: 'Address', exact: true }).inputValue()).toBe(
    `mysql://root@127.0.0.1:${port}/${database}`,
  )
  await dialog.getByRole('button', { name: 'Test', exact: true }).click()
  await dialog
    .getByRole('status')
    .getByText(/MariaDB \d+\.\S* answers in/)
    .waitFor()
  await dialog.getByRole('status').getByText('1 Process lock table').waitFor()
  await save(dialog)
}

async function fillDynamo(page: Page, table: string): Promise<void> {
  const dialog = await addDialog(page)
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('DynamoDB')
  await dialog.getByRole('textbox', { name: 'Table' }).fill(table)
  await dialog.getByRole('textbox', { name: 'Endpoint' }).fill(inject('dynamodbEndpoint'))
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('pipelines')
  await dialog.getByRole('button', { name: 'Test', exact: true }).click()
  await dialog
    .getByRole('status')
    .getByText(/DynamoDB.* answers in/)
    .waitFor()
  await dialog.getByRole('status').getByText('1 Conditional put').waitFor()
  await save(dialog)
}

/** Without a keyring the password is asked for again; everything else is there. */
async function restarted({ page }: Console): Promise<void> {
  await screen.row(page, 'invoice-run').waitFor()
  await screen.row(page, 'settlement').waitFor()
  const cache = screen.store(page, 'cache')
  await cache.getByText(/denied/).waitFor()
  await storeAction(page, 'cache', 'Edit…')
  const edit = screen.dialog(page, 'Edit store')
  await edit.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await save(edit, 'Save')
  await screen.row(page, 'lockRecharge:card').waitFor()
}

it('never sends a password that was typed for one server to another', async () => {
  const seen: string[] = []
  const trap = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', data => seen.push(String(data)))
  }).listen(0, '127.0.0.1')
  await once(trap, 'listening')
  onTestFinished(() => void trap.close())
  const { port } = trap.address() as AddressInfo
  const { page } = await openConsole('web')
  await page.getByRole('button', { name: 'Add a store…' }).click()
  const form = screen.dialog(page, 'Add a store')
  const address = form.getByRole('textbox', { name: 'Address' })
  await address.fill('redis://ops:prod-secret-1@127.0.0.1:1/0')
  await expect.poll(() => address.inputValue()).toBe('redis://ops@127.0.0.1:1/0')
  await address.fill(`redis://ops@127.0.0.1:${port}/0`)
  await form.getByRole('button', { name: 'Test' }).click()
  await form.getByText(/Connection failed/).waitFor()
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.join('')).not.toContain('prod-secret')
})
