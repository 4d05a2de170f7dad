import { expect, test } from 'vitest'
import { AddressError, parseAddress, type StoreAddress, showAddress } from '../../shared/address.ts'
import { Random } from '../random.ts'

const at = (host: string, port: number) => ({ host, port })
const SPECIAL = [...'aZ09%#?&=+/:@*{}[],;\'"\\ ~!$()|<>^`-._', 'é', 'ж', '漢', '😀', '\u202e', '\n', '\u001b']
const HOSTS = [
  'h',
  'redis-1.example.com',
  '10.0.0.1',
  '::1',
  'fe80::1:2',
  '2001:db8::ffff:1.2.3.4',
  'bücher.example',
]

function anyAddress(random: Random): StoreAddress {
  const word = () => random.text(SPECIAL, 8, 1)
  const maybe = () => (random.below(2) === 0 ? null : word())
  const place = () => at(random.pick(HOSTS), 1 + random.below(65535))
  const account = { username: maybe(), password: maybe(), format: maybe() }
  const tlsFiles = (tls: boolean) => {
    const text = () => (tls ? maybe() : null)
    return { ca: text(), cert: text(), key: text(), servername: text() }
  }
  const anyTls = () => {
    const tls = random.below(2) === 0
    return { tls, ...tlsFiles(tls) }
  }
  switch (random.below(4)) {
    case 0:
      return {
        kind: 'mysql',
        ...account,
        ...place(),
        database: word(),
        table: maybe(),
        ...anyTls(),
        allowPublicKeyRetrieval: random.below(2) === 0,
      }
    case 1: {
      const endpoint = random.pick([null, 'http://127.0.0.1:8000', 'https://[::1]:1/'])
      return {
        kind: 'dynamodb',
        ...account,
        region: 'eu-west-1',
        table: 'a.b-c_d',
        endpoint,
        profile: maybe(),
        ...tlsFiles(true),
      }
    }
    case 2:
      return { kind: 'memory', ...account, username: null, name: 'a.b-c_d' }
    default: {
      const mode = random.pick(['standalone', 'sentinel', 'cluster'] as const)
      const hosts = mode === 'standalone' ? [place()] : Array.from({ length: 1 + random.below(3) }, place)
      const group = mode === 'sentinel' ? word() : null
      const db = mode === 'cluster' ? 0 : random.below(16)
      return {
        kind: 'redis',
        ...account,
        mode,
        ...anyTls(),
        hosts,
        group,
        db,
        match: maybe(),
        nodes: random.pick([null, 'redis-2', '10.1.0.0/16,.redis.example.com', 'fe80::1:2']),
      }
    }
  }
}

test('a shown address parses to the same address without its password', () => {
  const random = new Random(1)
  for (let i = 0; i < 3000; i++) {
    const address = { ...anyAddress(random), password: 'Hunter2' }
    const shown = showAddress(address)
    expect(shown).not.toContain('Hunter2')
    expect(shown).toMatch(/^[\x21-\x7eü]+$/)
    expect(parseAddress(shown)).toEqual({ ...address, password: null })
  }
})

const FORMS = [
  (p: string) => `redis://user:${p}@host:6379/0?match=a`,
  (p: string) => `redis://:${p}@host`,
  (p: string) => `rediss://user:${p}@host:99999/x`,
  (p: string) => `redis+sentinel://user:${p}@h1,h2/group/zero`,
  (p: string) => `redis+cluster://user:${p}@h1,h2/3?unknown=1`,
  (p: string) => `mysql://user:${p}@host/`,
  (p: string) => `mysql://user:${p}@host/db?tls=maybe`,
  (p: string) => `dynamodb://key:${p}@eu-west-1/locks?endpoint=nonsense`,
]
const WITHOUT_HOST = [(p: string) => `redis://user:${p}`, (p: string) => `mysql://user:${p}/db`]
const PIECES = [
  '/',
  '?',
  '#',
  '@',
  ':',
  '%',
  '%2',
  '&',
  '=',
  ',',
  '[',
  ']',
  '?match=',
  '&format=',
  '?tls=',
  '/0?match=',
]

test('no part of a password is ever repeated, wherever an unescaped character cuts it', () => {
  const random = new Random(2)
  let refused = 0
  for (let i = 0; i < 6000; i++) {
    // Words and numbers that occur in none of our sentences.
    const secrets = Array.from(
      { length: 2 + random.below(3) },
      () => random.pick(['Qzx', '7', '']) + (100_000 + random.below(900_000)),
    )
    const password = secrets.reduce((all, part) => all + random.pick(PIECES) + part)
    const form = random.pick([...FORMS, ...WITHOUT_HOST])
    const text = form(password)
    let said: string
    try {
      said = showAddress(parseAddress(text))
      // Nobody can tell that what stands for the host was meant as a password.
      if (WITHOUT_HOST.includes(form)) continue
    } catch (error) {
      expect(error, text).toBeInstanceOf(AddressError)
      said = (error as Error).message
      refused++
    }
    for (const secret of secrets) expect(said, text).not.toContain(secret)
  }
  expect(refused).toBeGreaterThan(1000)
})
