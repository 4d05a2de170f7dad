import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RECHARGE } from '../core/stores/mysql/database.ts'
import { startDynamoDb } from '../servers/dynamodb.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startMariaDb } from '../servers/mariadb.ts'
import { freePort } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { openConsole } from './console.ts'
import { rechargeJson, takeItem } from './places.ts'
import { screen, storeAction } from './screen.ts'

async function threeServers() {
  const [first, mariadb, dynamodb] = await Promise.all([startRedis(), startMariaDb(), startDynamoDb()])
  let redis = first
  onTestFinished(async () => {
    await Promise.all([redis.stop('SIGKILL'), mariadb.close(), dynamodb.close()])
  })
  const fillRedis = async () => {
    const client = new Redis({ port: first.port })
    await client.set('lockRecharge:card', rechargeJson('worker-1'))
    client.disconnect()
  }
  await fillRedis()
  const sql = await createConnection({ host: '127.0.0.1', port: mariadb.port, user: 'root' })
  await sql.query('CREATE DATABASE outage')
  await sql.query('USE outage')
  await sql.query(RECHARGE)
  await sql.query(`INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at)
    VALUES ('invoice-run', 'worker-2', 1, NOW() + INTERVAL 1 HOUR)`)
  await sql.end()
  const table = await TestTable.create(dynamodb.endpoint)
  await takeItem(table, 'settlement', 'worker-3')
  table.client.destroy()
  return {
    stores: [
      { name: 'cache', address: `redis://127.0.0.1:${first.port}/0` },
      { name: 'orders', address: `mysql://root@127.0.0.1:${mariadb.port}/outage` },
      { name: 'pipelines', address: `dynamodb://eu-west-1/${table.name}?endpoint=${dynamodb.endpoint}` },
    ],
    kill: () => Promise.all([first.stop('SIGKILL'), mariadb.kill(), dynamodb.kill()]),
    async revive() {
      const revived = await Promise.all([
        startRedis({ port: first.port }),
        mariadb.revive(),
        dynamodb.revive(),
      ])
      redis = revived[0]
      await fillRedis()
    },
  }
}

describe('an outage', () => {
  it('is stated, dims stale rows, leaves other stores alone, and ends', async () => {
    const servers = await threeServers()
    const { page, problems } = await openConsole('web', {
      stores: [...servers.stores, { name: 'practice', address: 'memory:practice' }],
    })
    const locks = ['lockRecharge:card', 'invoice-run', 'settlement']
    for (const key of locks) await screen.row(page, key).waitFor()
    expect(await page.locator('[data-stale]').count()).toBe(0)
    await screen.status(page).getByText('4 stores live').waitFor()

    await servers.kill()
    for (const { name } of servers.stores) {
      await screen
        .store(page, name)
        .getByText(/down for .* · retrying/)
        .waitFor()
      await screen
        .status(page)
        .getByText(new RegExp(`${name}: as of \\d\\d:\\d\\d:\\d\\d`))
        .waitFor()
    }
    await screen.status(page).getByText('4 stores, 3 not live').waitFor()
    for (const key of locks) expect(await screen.row(page, key).getAttribute('data-stale'), key).toBe('true')
    const own = screen.rows(page).filter({ hasText: 'practice' }).first()
    expect(await own.getAttribute('data-stale')).toBeNull()
    await screen.row(page, 'invoice-run').click()
    await screen
      .inspector(page)
      .getByText(/The store is not live\. This is as of/)
      .waitFor()
    await storeAction(page, 'cache', 'Edit…')
    await page.keyboard.press('Escape')

    await servers.revive()
    await screen.status(page).getByText('4 stores live').waitFor()
    for (const { name } of servers.stores)
      await screen
        .store(page, name)
        .getByText(/live · 1 lock/)
        .waitFor()
    for (const key of locks) {
      await screen.row(page, key).waitFor()
      expect(await screen.row(page, key).getAttribute('data-stale'), key).toBeNull()
    }
    expect(problems).toEqual([])
  })

  it('has its own screen from the start and after a refused password', async () => {
    const server = await startRedis()
    const client = new Redis({ port: server.port })
    onTestFinished(async () => {
      client.disconnect()
      await server.stop('SIGKILL')
    })
    await client.config('SET', 'requirepass', 'another')
    const { page } = await openConsole('web', {
      stores: [
        { name: 'guarded', address: `redis://127.0.0.1:${server.port}/0` },
        { name: 'absent', address: `redis://127.0.0.1:${await freePort()}/0` },
      ],
    })
    await screen
      .store(page, 'guarded')
      .getByText(/denied · retrying/)
      .waitFor()
    await screen
      .store(page, 'absent')
      .getByText(/down .* · retrying/)
      .waitFor()
    await screen.store(page, 'guarded').getByRole('button').first().click()
    await page.getByRole('heading', { name: 'guarded does not let this account in' }).waitFor()
    await screen.store(page, 'absent').getByRole('button').first().click()
    await page.getByRole('heading', { name: 'absent does not answer' }).waitFor()
    await page.getByRole('button', { name: 'Edit the store…' }).click()
    await screen.dialog(page, 'Edit store').waitFor()
  })

  it('of Lockkeeper itself is stated, and no store looks live', async () => {
    const { page, pid } = await openConsole('web')
    await screen.rows(page).first().waitFor()
    process.kill(pid, 'SIGKILL')
    await screen.status(page).getByText('The connection to Lockkeeper itself is lost').waitFor()
    await expect.poll(() => screen.rows(page).first().getAttribute('data-stale')).toBe('true')
    await screen
      .store(page, 'practice')
      .getByText(/stale since/)
      .waitFor()
  })
})
