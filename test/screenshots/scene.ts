import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import type { StoreProfile } from '../../shared/stores.ts'
import { RECHARGE } from '../core/stores/mysql/database.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import '../kinds.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export type Servers = {
  readonly redisPort: number
  readonly mariadbPort: number
  readonly dynamodbEndpoint: string
  /** Nobody listens there. */
  readonly deadPort: number
}

/** A night like many: most locks are fine, a few are not, and one server is down. */
export async function makeScene(servers: Servers, dataFolder: string): Promise<() => Promise<void>> {
  const recharges = new Redis({ port: servers.redisPort, db: 2001 })
  const pipelines = new Redis({ port: servers.redisPort, db: 2002 })
  const auctions = new Redis({ port: servers.redisPort, db: 2003 })
  for (const client of [recharges, pipelines, auctions]) await client.flushdb()
  const now = Date.now()

  await recharge(recharges, 'VOZ_PROCESS', 4242, now - 3 * HOUR - 12 * MINUTE, now - 40 * MINUTE, false)
  await recharge(recharges, 'ELIOT_PROCESS', 871, now - 22 * MINUTE, now + 38 * MINUTE, true)
  await recharge(recharges, 'GPS_PROCESS', 913, now - 51 * MINUTE, now + 9 * MINUTE, true)

  const runs: [string, number][] = [
    ['acme1281:gcp_billing_export', 2.8],
    ['acme9999:gcp_billing_export', 29],
    ['globex:usage_rollup', 31.7],
    ['initech:crm_sync', 42.2],
    ['umbrella:lab_results', 50.3],
    ['hooli:ads_spend', 55.6],
    ['stark:telemetry', 59.2],
    ['wayne:nightly_close', 44.5],
    ['acme1281:usage_rollup', 21.4],
    ['globex:crm_sync', 12.6],
    ['initech:telemetry', 36.9],
  ]
  for (const [name, minutes] of runs)
    await pipelines.set(`pipeline_lock:${name}`, randomUUID(), 'PX', Math.round(minutes * MINUTE))

  for (const [i, id] of [8841, 123, 127, 140, 141, 152, 160].entries())
    await auctions.set(`lock:auction:${id}`, randomUUID(), 'PX', (i * 4 + 20) * SECOND + 5 * MINUTE)
  await auctions.set('lock:auction:7719', randomUUID())

  const table = await TestTable.create(servers.dynamodbEndpoint)
  const items: [string, string, number, number][] = [
    ['bcra_infomondia_series', 'run-1701234567', -118, -58],
    ['consolidate:2026-11', 'run-1763266001', -14, 46],
    ['fx_daily', 'run-1763266104', -9, 51],
  ]
  for (const [name, owner, from, to] of items)
    await table.put({
      lock_key: { S: `pipeline:${name}` },
      owner_id: { S: owner },
      acquired_at: { N: String(Math.floor((now + from * MINUTE) / 1000)) },
      expires_at: { N: String(Math.floor((now + to * MINUTE) / 1000)) },
    })

  const admin = await createConnection({ host: '127.0.0.1', port: servers.mariadbPort, user: 'root' })
  await admin.query('DROP DATABASE IF EXISTS recargas')
  await admin.query('CREATE DATABASE recargas')
  await admin.query('USE recargas')
  await admin.query(RECHARGE)
  await admin.query("SET time_zone = '+00:00'")
  await admin.query(
    `INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at) VALUES
     ('SMS_PROCESS', 'SMS_1763284991', 3307, UTC_TIMESTAMP() - INTERVAL 17 MINUTE, UTC_TIMESTAMP() + INTERVAL 43 MINUTE),
     ('LEDGER_PROCESS', 'LEDGER_1763284442', 2210, UTC_TIMESTAMP() - INTERVAL 57 MINUTE, UTC_TIMESTAMP() + INTERVAL 3 MINUTE)`,
  )

  const redis = (db: number) => `redis://127.0.0.1:${servers.redisPort}/${db}`
  await keepStores(dataFolder, [
    store('recharges', redis(2001), 'rose', true),
    store('recharges sql', `mysql://root@127.0.0.1:${servers.mariadbPort}/recargas`, 'amber', true),
    store(
      'ingestor',
      `dynamodb://eu-west-1/${table.name}?endpoint=${servers.dynamodbEndpoint}`,
      'violet',
      true,
    ),
    store('pipelines', redis(2002), 'teal', false),
    store('auctions', redis(2003), 'blue', false),
    store('billing', `mysql://ops@127.0.0.1:${servers.deadPort}/billing`, 'slate', false),
  ])
  return async () => {
    for (const client of [recharges, pipelines, auctions]) client.disconnect()
    await admin.end()
    await table.drop()
  }
}

async function recharge(
  client: Redis,
  name: string,
  pid: number,
  from: number,
  to: number,
  ttl: boolean,
): Promise<void> {
  const value = { lockId: `${name}_${Math.floor(from / 1000)}`, pid, timestamp: from, expiresAt: to }
  await client.set(`lockRecharge:${name}`, JSON.stringify(value))
  if (ttl) await client.pexpireat(`lockRecharge:${name}`, to)
}

function store(
  name: string,
  address: string,
  colour: StoreProfile['colour'],
  production: boolean,
): StoreProfile {
  return { name, address, colour, production, readOnly: false }
}

/** As the console keeps them itself. */
export async function keepStores(dataFolder: string, profiles: readonly StoreProfile[]): Promise<void> {
  const stores = profiles.map(profile => ({ storeId: randomUUID(), profile, open: true, sealed: null }))
  await mkdir(dataFolder, { recursive: true })
  await writeFile(join(dataFolder, 'stores.json'), JSON.stringify({ version: 1, stores }))
}
