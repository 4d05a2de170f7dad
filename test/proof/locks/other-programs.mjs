// Lock managers as other programs have them: their own statements through plain clients, and nothing of ours. They have no
// renewal, and know of a loss only when they give a lock back.
import { randomUUID } from 'node:crypto'
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { Redis } from 'ioredis'
import { createPool } from 'mysql2/promise'

export class LockHeldError extends Error {}
export class LockLostError extends Error {}

const COMPARE_AND_DELETE = `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end`

/** `SET NX EX`, and a script that deletes what it compared. */
function overRedis(address, keyOf, makeValue) {
  const { hostname, port, pathname } = new URL(address)
  const redis = new Redis({ host: hostname, port: Number(port), db: Number(pathname.slice(1) || 0) })
  return {
    async take(name, ttlS) {
      const value = makeValue(ttlS)
      const before = Date.now()
      const taken = await redis.set(keyOf(name), value, 'EX', ttlS, 'NX')
      return taken === 'OK' ? { token: value, expiresAt: before + ttlS * 1000 } : null
    },
    letGo: async (name, token) => (await redis.eval(COMPARE_AND_DELETE, 1, keyOf(name), token)) === 1,
    close: () => redis.quit(),
  }
}

/** Clears away what has run out, and inserts. */
function overMysql(address) {
  const { hostname, port, pathname, username } = new URL(address)
  const pool = createPool({
    ...{ host: hostname, port: Number(port), user: username, database: pathname.slice(1) },
    ...{ connectionLimit: 2, timezone: 'Z' },
  })
  return {
    async take(name, ttlS) {
      const token = randomUUID()
      await pool.execute('DELETE FROM recargas_process_locks WHERE expires_at <= NOW()')
      try {
        await pool.execute(
          'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES (?, ?, ?, DATE_ADD(NOW(), INTERVAL ? SECOND))',
          [name, token, process.pid, ttlS],
        )
      } catch (error) {
        if (error.code === 'ER_DUP_ENTRY') return null
        throw error
      }
      const [[row]] = await pool.execute(
        'SELECT UNIX_TIMESTAMP(expires_at) AS ends FROM recargas_process_locks WHERE lock_key = ? AND lock_id = ?',
        [name, token],
      )
      return { token, expiresAt: Number(row?.ends ?? 0) * 1000 }
    },
    async letGo(name, token) {
      const [{ affectedRows }] = await pool.execute(
        'DELETE FROM recargas_process_locks WHERE lock_key = ? AND lock_id = ?',
        [name, token],
      )
      return affectedRows === 1
    },
    close: () => pool.end(),
  }
}

/** A conditional put, and a delete that compares the owner. */
function overDynamo(address) {
  const { pathname, searchParams } = new URL(address)
  const table = pathname.slice(1)
  const client = new DynamoDBClient({ region: 'eu-west-1', endpoint: searchParams.get('endpoint') })
  const held = error => {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
  return {
    async take(name, ttlS) {
      const token = `run-${randomUUID()}`
      const now = Math.floor(Date.now() / 1000)
      const put = new PutItemCommand({
        TableName: table,
        Item: {
          lock_key: { S: name },
          owner_id: { S: token },
          expires_at: { N: String(now + ttlS) },
          acquired_at: { N: String(now) },
        },
        ConditionExpression: 'attribute_not_exists(lock_key) OR expires_at < :now',
        ExpressionAttributeValues: { ':now': { N: String(now) } },
      })
      const taken = await client.send(put).then(() => true, held)
      return taken ? { token, expiresAt: (now + ttlS) * 1000 } : null
    },
    letGo(name, token) {
      const remove = new DeleteItemCommand({
        TableName: table,
        Key: { lock_key: { S: name } },
        ConditionExpression: 'owner_id = :owner',
        ExpressionAttributeValues: { ':owner': { S: token } },
      })
      return client.send(remove).then(() => true, held)
    },
    close: async () => client.destroy(),
  }
}

/** Looks whether a lock is there and then takes it: two can look at once. It deletes whatever there is. */
function careless(address) {
  const { hostname, port, pathname } = new URL(address)
  const redis = new Redis({ host: hostname, port: Number(port), db: Number(pathname.slice(1) || 0) })
  return {
    async take(name, ttlS) {
      if (await redis.get(`careless:${name}`)) return null
      await redis.set(`careless:${name}`, '1', 'EX', ttlS)
      return { token: '1', expiresAt: Date.now() + ttlS * 1000 - 5 }
    },
    letGo: async name => (await redis.del(`careless:${name}`)) === 1,
    close: () => redis.quit(),
  }
}

const recharge = ttlS =>
  JSON.stringify({
    ...{ lockId: `GPS_PROCESS_${randomUUID()}`, pid: process.pid },
    ...{ timestamp: Date.now(), expiresAt: Date.now() + ttlS * 1000 },
  })

function storeOf(address, format) {
  if (format === 'careless') return careless(address)
  if (address.startsWith('mysql:')) return overMysql(address)
  if (address.startsWith('dynamodb:')) return overDynamo(address)
  if (format === 'pipeline-run')
    return overRedis(
      address,
      name => `pipeline_lock:${name}`,
      () => randomUUID(),
    )
  return overRedis(address, name => `lockRecharge:${name}`, recharge)
}

export function createLockManager(address, { format } = {}) {
  const store = storeOf(address, format)
  const acquire = async (key, { ttl }) => {
    const taken = await store.take(key, Math.max(1, Math.round(ttl / 1000)))
    if (!taken) return { acquired: false }
    const release = async () => ({ outcome: (await store.letGo(key, taken.token)) ? 'released' : 'lost' })
    const { expiresAt } = taken
    return { acquired: true, lock: { fencing: null, expiresAt, renew: async () => false, release } }
  }
  return {
    acquire,
    async withLock(key, work, options) {
      const result = await acquire(key, options)
      if (!result.acquired) throw new LockHeldError()
      await work({ lock: result.lock, signal: new AbortController().signal })
      if ((await result.lock.release()).outcome === 'lost') throw new LockLostError()
    },
    close: () => store.close(),
  }
}
