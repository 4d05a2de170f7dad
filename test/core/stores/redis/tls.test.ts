import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { bash } from '../../../bash.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { startScripted } from '../../../hostile/scripted-server.ts'
import { type Authority, type Certificate, createAuthority } from '../../../servers/certificates.ts'
import { onFreePort } from '../../../servers/process.ts'
import { type RedisServer, startRedis } from '../../../servers/redis.ts'

const never = new AbortController().signal

let authority: Authority
let server: RedisServer
let plain: Redis
let tlsPort: number

beforeAll(async () => {
  authority = await createAuthority()
  const { cert, key } = authority.issue('DNS:localhost')
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', authority.ca]
  const started = await onFreePort(async port => {
    const args = ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files]
    return { port, server: await startRedis({ args }) }
  })
  server = started.server
  tlsPort = started.port
  plain = new Redis({ port: server.port })
})
afterAll(async () => {
  plain.disconnect()
  await server.stop('SIGKILL')
  await authority.remove()
})

async function present({ cert, key }: Certificate): Promise<void> {
  await plain.config('SET', 'tls-cert-file', cert, 'tls-key-file', key)
}

type Options = Readonly<Record<string, string>>

async function open(host: string, options: Options = {}, scheme = 'rediss://', port = tlsPort) {
  const query = new URLSearchParams({ ca: authority.ca, ...options })
  const store = await openStore(`${scheme}${host}:${port}/0?${query}`, undefined)
  onTestFinished(() => store.close())
  return store
}

async function outcome(opening: ReturnType<typeof open>): Promise<unknown> {
  return opening
    .then(store => store.clock(never))
    .then(
      () => 'trusted',
      error => ({ code: error.code, message: error.message }),
    )
}

const REFUSED = (reason: RegExp) => ({
  code: 'STORE_UNREACHABLE',
  message: expect.stringMatching(reason),
})

describe('the certificate of a Redis server', () => {
  it.each<[string, string, Options]>([
    ['IP:127.0.0.1', '127.0.0.1', {}],
    ['DNS:localhost', 'localhost', {}],
    ['DNS:cache.example', '127.0.0.1', { servername: 'cache.example' }],
    ['IP:10.1.2.3', 'localhost', { servername: '10.1.2.3' }],
  ])('for %s is accepted from %s with %o', async (names, host, options) => {
    await present(authority.issue(names))
    expect(await outcome(open(host, options))).toBe('trusted')
  })

  it.each<[string, string, Options]>([
    ['DNS:localhost', '127.0.0.1', {}],
    ['IP:127.0.0.1', 'localhost', {}],
    ['DNS:localhost,IP:127.0.0.1', 'localhost', { servername: 'cache.example' }],
    ['DNS:localhost,IP:127.0.0.1', '127.0.0.1', { servername: '10.1.2.3' }],
  ])('for %s is refused from %s with %o', async (names, host, options) => {
    await present(authority.issue(names))
    const refused = REFUSED(/^The Redis server has a certificate for another host;/)
    expect(await outcome(open(host, options))).toEqual(refused)
  })

  it.each(['rediss://', 'rediss+cluster://'])('names the reason for a refusal of %s', async scheme => {
    await present(authority.selfSigned('IP:127.0.0.1'))
    const opened = () => outcome(open('127.0.0.1', {}, scheme))
    expect(await opened()).toEqual(REFUSED(/is self-signed or from an unknown authority; ca= names the file/))
    await present(authority.issue('IP:127.0.0.1', -1))
    expect(await opened()).toEqual(REFUSED(/has a certificate that has expired$/))
  })

  it('is missing if the server does not speak TLS', async () => {
    const port = await startScripted(socket => socket.once('data', () => socket.end('-ERR what\r\n')))
    expect(await outcome(open('127.0.0.1', {}, 'rediss://', port))).toEqual(REFUSED(/does not offer TLS$/))
  })
})

describe('the certificate of a client', () => {
  it('lets it in where the server requires one, and is in the equivalent command', async () => {
    await present(authority.issue('IP:127.0.0.1'))
    await plain.config('SET', 'tls-auth-clients', 'yes')
    onTestFinished(async () => void (await plain.config('SET', 'tls-auth-clients', 'no')))
    expect(await outcome(open('127.0.0.1'))).toEqual(
      REFUSED(/requires a certificate of the client: cert= and/),
    )
    const stranger = authority.selfSigned('DNS:client')
    expect(await outcome(open('127.0.0.1', stranger))).toEqual(
      REFUSED(/refuses the certificate of the client/),
    )
    const store = await open('127.0.0.1', { ...authority.issue('DNS:client'), match: 'lock:*' })
    for (const way of ['store', 'command']) {
      await plain.set('lock:a', 'token', 'PX', 60_000)
      const detail = await store.inspect('lock:a', never)
      const released =
        way === 'store'
          ? (await releaseLock(store, 'lock:a', detail?.lock?.fence ?? '', never)).outcome
          : bash(detail?.command).out
      expect(released).toBe('released')
      expect(await plain.exists('lock:a')).toBe(0)
    }
  })

  it('is refused with the reason if it cannot be used', async () => {
    const { cert } = authority.issue('DNS:client')
    const { key } = authority.issue('DNS:other')
    for (const options of [{ cert }, { cert, key }, { ca: '/nowhere' }, { ca: authority.file('secret') }])
      expect(await outcome(open('127.0.0.1', options as Options))).toMatchObject({ code: 'BAD_INPUT' })
  })
})
