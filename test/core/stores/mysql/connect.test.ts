import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { freePort } from '../../../servers/process.ts'
import { Database, failureOf, lockOf, never, RECHARGE, Wire } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
  await db.plain.query(RECHARGE)
  await db.plain.query(
    "INSERT INTO recargas_process_locks (lock_key, lock_id, pid) VALUES ('GPS', 'GPS_1', 12345)",
  )
})
afterEach(() => db.drop())

describe('a MySQL server that cannot be used', () => {
  it('denies a wrong password without repeating it', async () => {
    const { username } = await db.account(`SELECT ON ${db.name}.*`)
    const failure = await failureOf(listAll(db.store({ username, password: 'wrong-guess' })))
    expect(failure.code).toBe('STORE_DENIED')
    expect(failure.message).not.toContain('wrong-guess')
  })

  it('names a missing database', async () => {
    const failure = await failureOf(listAll(db.store({ database: 'no_such_database' })))
    expect(failure).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no database "no_such_database" on this server',
    })
  })

  it('denies a database the account may not use', async () => {
    const account = await db.account()
    const failure = await failureOf(listAll(db.store({ ...account })))
    expect(failure).toMatchObject({ code: 'STORE_DENIED', message: expect.stringContaining(db.name) })
  })

  it('names a missing table', async () => {
    const failure = await failureOf(listAll(db.store({ table: 'nothing' })))
    expect(failure).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/no table "nothing"/),
    })
  })

  it('reports a port where no server listens as unreachable', async () => {
    const failure = await failureOf(listAll(db.store({ port: await freePort() })))
    expect(failure).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('reports a host without an address as unreachable', async () => {
    const failure = await failureOf(listAll(db.store({ host: 'no-such-host.invalid' })))
    expect(failure.code).toBe('STORE_UNREACHABLE')
  })

  it('reports a server that accepts connections and never answers as unreachable', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const address = mute.address()
    const store = db.store({ port: typeof address === 'object' && address ? address.port : 0 })
    expect((await failureOf(store.clock(never))).code).toBe('STORE_UNREACHABLE')
    await store.close()
    mute.close()
    await once(mute, 'close')
  })

  it('reports a server that is not MySQL', async () => {
    const other = createServer(socket => socket.on('error', () => {}).end(Buffer.from([1, 0, 0, 0, 10])))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const store = db.store({ port: typeof address === 'object' && address ? address.port : 0 })
    expect(await failureOf(store.clock(never))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('does not speak the MySQL protocol'),
    })
    other.close()
    await once(other, 'close')
  })

  it('reports a server without TLS', async () => {
    const failure = await failureOf(listAll(db.store({ tls: true })))
    expect(failure).toMatchObject({ code: 'STORE_UNREACHABLE', message: expect.stringContaining('TLS') })
  })

  it('leaves no connection behind when it is closed, even in the middle of a list', async () => {
    const account = await db.account(`ALL ON ${db.name}.*`)
    const store = db.store(account)
    const rows = Array.from({ length: 300 }, (_, i) => `('key-${i}', 'o')`).join(', ')
    await db.plain.query(`INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ${rows}`)
    for await (const page of store.list({}, never)) {
      expect(page.locks).toHaveLength(100)
      break
    }
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => store.clock(never)))
    await store.close()
    const left = () =>
      db.rows('SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?', [account.username])
    await expect.poll(left).toEqual([])
  })

  it('refuses work after it was closed', async () => {
    const store = db.store()
    await listAll(store)
    await store.close()
    expect((await failureOf(listAll(store))).code).toBe('STORE_ERROR')
  })
})

describe('a MySQL server that fails in the middle', () => {
  let wire: Wire

  beforeEach(async () => {
    wire = await Wire.to(db.port)
  })
  afterEach(() => wire.close())

  it('gives up on a server that froze, and leaves no connection when closed in the middle of a call', async () => {
    const store = db.store({ port: wire.port })
    await listAll(store)
    wire.mode = 'freeze'
    expect((await failureOf(listAll(store))).code).toBe('STORE_UNREACHABLE')
    const ended: string[] = []
    const hanging = failureOf(listAll(store)).then(({ code }) => ended.push(code))
    await new Promise(resolve => setTimeout(resolve, 100))
    await store.close()
    ended.push('closed')
    await hanging
    // Closing did not wait until the call gave up.
    expect(ended).toEqual(['closed', 'STORE_UNREACHABLE'])
    await expect.poll(() => wire.clients.size).toBe(0)
  })

  it('reconnects after the connection was lost', async () => {
    const store = db.store({ port: wire.port })
    await listAll(store)
    for (const client of wire.clients) client.destroy()
    await expect.poll(() => failureOf(listAll(store))).toMatchObject({ code: 'no error' })
  })

  it('reports an uncertain release when its answer is lost, and sends it once', async () => {
    const store = db.store({ port: wire.port })
    const { id, fence } = await lockOf(store, 'GPS')
    wire.mode = 'cut-after-write'
    const failure = await failureOf(releaseLock(store, id, fence, never))
    expect(failure).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(/may or may not have happened/),
      uncertain: true,
    })
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })
})

describe('waiting for other transactions', () => {
  it('reports that another transaction holds the row, and changes nothing', async () => {
    const store = db.store()
    const { id, fence } = await lockOf(store, 'GPS')
    const other = await db.another()
    await other.query('START TRANSACTION')
    await other.query('SELECT * FROM recargas_process_locks FOR UPDATE')
    const failure = await failureOf(releaseLock(store, id, fence, never))
    await other.end()
    expect(failure).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('Another transaction holds'),
    })
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toHaveLength(1)
  })

  it('awaits the answer to a release that is under way, whatever the signal says', async () => {
    const store = db.store()
    const { id, fence } = await lockOf(store, 'GPS')
    const other = await db.another()
    await other.query('START TRANSACTION')
    await other.query('SELECT * FROM recargas_process_locks FOR UPDATE')
    const abort = new AbortController()
    const releasing = releaseLock(store, id, fence, abort.signal)
    await new Promise(resolve => setTimeout(resolve, 500))
    abort.abort()
    await new Promise(resolve => setTimeout(resolve, 200))
    await other.query('COMMIT')
    await other.end()
    expect(await releasing).toEqual({ outcome: 'released', notified: null })
  })

  it('stops a list on request, even if the server does not answer', async () => {
    const store = db.store()
    await listAll(store)
    const other = await db.another()
    await other.query('LOCK TABLES recargas_process_locks WRITE')
    const abort = new AbortController()
    const listing = failureOf(listAll(store, undefined, abort.signal))
    await new Promise(resolve => setTimeout(resolve, 300))
    abort.abort()
    expect((await listing).code).toBe('ABORTED')
    await other.query('UNLOCK TABLES')
    await other.end()
    expect((await listAll(store)).locks).toHaveLength(1)
  })
})
