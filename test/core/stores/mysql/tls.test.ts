import { copyFileSync } from 'node:fs'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { MysqlAddress } from '../../../../electron/core/stores/mysql/address.ts'
import { Connections } from '../../../../electron/core/stores/mysql/connect.ts'
import { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import { bash } from '../../../bash.ts'
import { greeting, OK, packet } from '../../../hostile/mysql-packets.ts'
import { startScripted } from '../../../hostile/scripted-server.ts'
import { type Authority, type Certificate, createAuthority } from '../../../servers/certificates.ts'
import { type MariaDbServer, startMariaDb } from '../../../servers/mariadb.ts'
import { failureOf, mysqlAddress, never, RECHARGE } from './database.ts'

let authority: Authority
let live: Certificate
let server: MariaDbServer
let plain: Connection

beforeAll(async () => {
  authority = await createAuthority()
  live = authority.issue('DNS:localhost')
  server = await startMariaDb([
    `--ssl-cert=${live.cert}`,
    `--ssl-key=${live.key}`,
    `--ssl-ca=${authority.ca}`,
  ])
  plain = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
  await plain.query('CREATE DATABASE d')
})
afterAll(async () => {
  await plain.end()
  await server.close()
  await authority.remove()
})

async function present({ cert, key }: Certificate): Promise<void> {
  copyFileSync(cert, live.cert)
  copyFileSync(key, live.key)
  await plain.query('FLUSH SSL')
}

const addressOf = (options: Partial<MysqlAddress>) =>
  mysqlAddress({ port: server.port, database: 'd', tls: true, ca: authority.ca, ...options })

async function login(options: Partial<MysqlAddress>): Promise<string> {
  const connections = new Connections(addressOf(options))
  onTestFinished(() => connections.close())
  const encrypted = () =>
    connections.use(never, async session => {
      const [row] = await session.read("SHOW SESSION STATUS LIKE 'Ssl_version'")
      return String(row?.[1])
    })
  // More than one connection: later ones may take shortcuts.
  const [first] = await Promise.all([encrypted(), encrypted(), encrypted()])
  return first
}

const TRUSTED = /^TLSv1\.[23]$/
const REFUSED = (reason: RegExp) => ({
  code: 'STORE_UNREACHABLE',
  message: expect.stringMatching(reason),
})

describe('the certificate of a MySQL server', () => {
  it.each<[string, Partial<MysqlAddress>]>([
    ['IP:127.0.0.1', { host: '127.0.0.1' }],
    ['DNS:localhost', { host: 'localhost' }],
    ['DNS:db.example', { host: '127.0.0.1', servername: 'db.example' }],
    ['IP:10.1.2.3', { host: 'localhost', servername: '10.1.2.3' }],
  ])('for %s is accepted from %o', async (names, options) => {
    await present(authority.issue(names))
    expect(await login(options)).toMatch(TRUSTED)
    expect(await login(options)).toMatch(TRUSTED)
  })

  it.each<[string, Partial<MysqlAddress>]>([
    ['DNS:localhost', { host: '127.0.0.1' }],
    ['IP:127.0.0.1', { host: 'localhost' }],
    ['DNS:localhost,IP:127.0.0.1', { host: 'localhost', servername: 'db.example' }],
    ['DNS:localhost,IP:127.0.0.1', { host: '127.0.0.1', servername: '10.1.2.3' }],
  ])('for %s is refused from %o', async (names, options) => {
    await present(authority.issue(names))
    for (const _ of [1, 2])
      expect(await failureOf(login(options))).toEqual(REFUSED(/has a certificate for another host/))
  })

  it('from an unknown authority is refused with that reason', async () => {
    await present(authority.issue('IP:127.0.0.1'))
    const reason = /is self-signed or from an unknown authority; ca= names the file/
    expect(await failureOf(login({ ca: null }))).toEqual(REFUSED(reason))
    await present(authority.selfSigned('IP:127.0.0.1'))
    expect(await failureOf(login({}))).toEqual(REFUSED(reason))
  })

  it('that has expired is refused with that reason', async () => {
    await present(authority.issue('IP:127.0.0.1', -1))
    expect(await failureOf(login({}))).toEqual(REFUSED(/has a certificate that has expired$/))
  })

  it('comes before any answer: one that is sent in clear, behind the greeting, is refused', async () => {
    const port = await startScripted(socket =>
      socket.write(Buffer.concat([greeting({ tls: true }), packet(1, OK)])),
    )
    expect(await failureOf(login({ port }))).toEqual(REFUSED(/a packet before the encryption/))
  })

  it('is missing if the server does not offer TLS', async () => {
    expect(await failureOf(login({ port: inject('mariadbPort') }))).toEqual(REFUSED(/does not offer TLS$/))
  })
})

describe('the certificate of a client', () => {
  it('lets it in where the account requires one', async () => {
    await present(authority.issue('IP:127.0.0.1'))
    await plain.query("CREATE USER x@'127.0.0.1' REQUIRE X509")
    await plain.query("GRANT ALL ON d.* TO x@'127.0.0.1'")
    const { cert, key } = authority.issue('DNS:client')
    expect(await failureOf(login({ username: 'x' }))).toMatchObject({ code: 'STORE_DENIED' })
    expect(await login({ username: 'x', cert, key })).toMatch(TRUSTED)
  })

  it('is also that of the equivalent command', async () => {
    await present(authority.issue('DNS:localhost'))
    await plain.query('USE d')
    await plain.query(RECHARGE)
    await plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    await plain.query('CREATE USER y@localhost REQUIRE X509')
    await plain.query('GRANT ALL ON d.* TO y@localhost')
    const line = async (options: Partial<MysqlAddress>) => {
      const store = new MysqlStore(addressOf({ host: 'localhost', username: 'y', ...options }))
      onTestFinished(() => store.close())
      return (await store.inspect('GPS', never))?.command
    }
    const files = authority.issue('DNS:client')
    // The client cannot be told another name.
    expect(await line({ ...files, servername: 'localhost' })).toBeNull()
    expect(bash(await line(files)).out).toBe('outcome\nreleased')
  })

  it('is refused with the reason if it cannot be used', async () => {
    const { cert, key } = authority.issue('DNS:client')
    const other = authority.issue('DNS:other')
    const bad = (message: string | RegExp) => ({
      code: 'BAD_INPUT',
      message: expect.stringMatching(message),
    })
    expect(await failureOf(login({ cert }))).toEqual(bad(/cert and key .* belong together/))
    expect(await failureOf(login({ cert, key: other.key }))).toEqual(bad(/the key must .* fit/))
    expect(await failureOf(login({ cert: '/nowhere/cert.pem', key }))).toEqual(
      bad(/"\/nowhere\/cert.pem" of the address cannot be read \(ENOENT\)/),
    )
    for (const ca of [authority.file('secret'), '/dev/zero'])
      expect(await failureOf(login({ ca }))).toEqual(bad(/is not a PEM file$/))
  })
})
