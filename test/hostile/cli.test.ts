import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../hosts/cli/run-cli.ts'
import { createAuthority } from '../servers/certificates.ts'
import { greeting, OK, packet } from './mysql-packets.ts'
import { startScripted, writeForever } from './scripted-server.ts'

/** Far less than the floods below. */
const SMALL = { NODE_OPTIONS: '--max-old-space-size=128' }

async function listed(address: string, env: NodeJS.ProcessEnv = SMALL) {
  const run = await runCli(['list', address, '--json'], env)
  expect(run.stderr + run.stdout).not.toMatch(/INTERNAL|Unexpected error|heap out of memory|at Object\./)
  return run
}

/** Again for as long as a starved machine makes the server look slow. */
async function listedInTime(address: string, env: NodeJS.ProcessEnv): Promise<string> {
  for (;;) {
    const { stdout, stderr } = await listed(address, env)
    if (!/ETIMEDOUT|in time/.test(stderr)) return stderr + stdout
  }
}

const flooding = (chunk: string) => (socket: Socket) =>
  socket.once('data', () => writeForever(socket, Buffer.from(chunk)))

it.each<[string, (socket: Socket) => void]>([
  ['a null push message', socket => socket.on('data', () => socket.write('>-1\r\n'))],
  ['endless arrays', flooding(`*1000\r\n${'*0\r\n'.repeat(1000)}`.repeat(20))],
  ['one endless array', flooding('*1\r\n'.repeat(10_000))],
  ['an endless line', flooding(`+${'x'.repeat(60_000)}`)],
  ['an endless value', flooding(`$2000000000\r\n${'x'.repeat(60_000)}`)],
])('the command line survives a Redis that sends %s', async (_, connected) => {
  const port = await startScripted(connected)
  const { code, stderr, stdout } = await listed(`redis://127.0.0.1:${port}`)
  expect(code).toBeGreaterThan(0)
  expect(stderr + stdout).toMatch(/Redis at 127\.0\.0\.1/)
})

it('what arrives through TLS is checked too', async () => {
  const authority = await createAuthority()
  onTestFinished(() => authority.remove())
  const { key, cert } = authority.selfSigned('DNS:localhost')
  const secrets = { key: readFileSync(key), cert: readFileSync(cert) }
  const env = { ...SMALL, NODE_EXTRA_CA_CERTS: cert }
  const redis = createTlsServer(secrets, socket => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write('>-1\r\n'))
  }).listen(0)
  const mysql = createServer(socket => {
    socket.on('error', () => {})
    socket.write(greeting({ tls: true }))
    socket.once('data', () => {
      const secure = new TLSSocket(socket, { isServer: true, ...secrets })
      secure.on('error', () => {})
      secure.once('data', () => secure.write(packet(9, OK)))
    })
  }).listen(0)
  for (const server of [redis, mysql]) {
    if (!server.listening) await once(server, 'listening')
    onTestFinished(() => void server.close())
  }
  const portOf = (server: { address(): unknown }) => (server.address() as { port: number }).port
  const fromRedis = await listedInTime(`rediss://localhost:${portOf(redis)}/0`, env)
  expect(fromRedis).toContain('sent a push message that nobody subscribed to')
  const fromMysql = await listedInTime(`mysql://root@localhost:${portOf(mysql)}/locks?tls=true`, env)
  expect(fromMysql).toContain('cannot read (a packet out of order)')
})
