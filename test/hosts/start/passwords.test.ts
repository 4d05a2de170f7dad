import { describe, expect, it } from 'vitest'
import { variableFor, withoutSecrets, withPasswords } from '../../../electron/hosts/start/passwords.ts'
import { parseAddress } from '../../../shared/address.ts'

const A = 'redis://a/0'
const B = 'mysql://ops@b/shop'

function passwords(
  addresses: readonly string[],
  variables: Record<string, string>,
  lines: readonly string[] | null = null,
): (string | null)[] {
  return withPasswords(addresses, variables, lines).map(({ password }) => password)
}

describe('the password of a store', () => {
  it('is that of its address, of its own variable, or of the variable for one store', () => {
    const own = { LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_B: 'of-b' }
    const shared = { LOCKKEEPER_PASSWORD: 'of-one' }
    expect(
      passwords(['redis://:in-address@a/0'], { ...shared, LOCKKEEPER_PASSWORD_REDIS_AT_A: 'x' }),
    ).toEqual(['in-address'])
    expect(passwords([B], { ...own, ...shared })).toEqual(['of-b'])
    expect(passwords([A], { ...own, ...shared })).toEqual(['of-one'])
    expect(passwords([A, B], own)).toEqual([null, 'of-b'])
    expect(passwords([A, B], { ...own, ...shared })).toEqual([null, 'of-b'])
    expect(passwords([B], { LOCKKEEPER_PASSWORD: '', LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_B: '' })).toEqual([
      null,
    ])
  })

  it('is never sent to a second account: every store without one is named, with its variable', () => {
    for (const other of [B, 'redis://b/0', 'redis://a:6380/0', 'redis://other@a/0', 'rediss://a/0'])
      expect(() => passwords([A, other], { LOCKKEEPER_PASSWORD: 'hunter2' })).toThrow(
        /^LOCKKEEPER_PASSWORD is the password of one store, and this command has 2\. Nothing was contacted: set instead, .*: LOCKKEEPER_PASSWORD_REDIS_AT_A for redis at a, LOCKKEEPER_PASSWORD_\w+ for/,
      )
    expect(() => passwords([A, B], { LOCKKEEPER_PASSWORD: 'hunter2' })).not.toThrow(/hunter2/)
  })

  it('is one for one account, whatever is read with it', () => {
    expect(passwords([A, 'redis://a/1?match=x'], { LOCKKEEPER_PASSWORD: 'p' })).toEqual(['p', 'p'])
    // Neither takes a password.
    const none = ['memory:practice', 'dynamodb://eu-west-1/locks']
    expect(passwords([A, ...none], { LOCKKEEPER_PASSWORD: 'p' })).toEqual(['p', null, null])
    expect(() => passwords([A, 'dynamodb://AKIA@eu-west-1/locks'], { LOCKKEEPER_PASSWORD: 'p' })).toThrow(
      'LOCKKEEPER_PASSWORD_DYNAMODB_USER_AKIA_AT_EU__WEST__1 for locks',
    )
  })

  it('is only that of its own variable for an address that the operator did not name', () => {
    const own = { LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_B: 'of-b', LOCKKEEPER_PASSWORD: 'p' }
    const known = (named: readonly string[]) =>
      withPasswords([A, B], own, null, named).map(({ password }) => password)
    expect(known([])).toEqual([null, 'of-b'])
    expect(known(['redis://a/1'])).toEqual([null, 'of-b'])
    const general = { LOCKKEEPER_PASSWORD: 'p' }
    expect(withPasswords([A, B], general, null, ['redis://a/1'])).toMatchObject([
      { password: 'p' },
      { password: null },
    ])
    // The name of the variable does not tell whose certificate is accepted.
    const tls = 'rediss://a?servername=thief.example'
    const variable = { LOCKKEEPER_PASSWORD_REDISS_AT_A: 'of-a' }
    expect(withPasswords([tls], variable, null, [])).toMatchObject([{ password: null }])
    expect(withPasswords([tls], variable)).toMatchObject([{ password: 'of-a' }])
  })

  it('is a line of the standard input for each store without one, in their order, and no more', () => {
    const own = { LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_B: 'of-b', LOCKKEEPER_PASSWORD: 'not used' }
    expect(passwords([A, B, 'memory:x', 'redis://c/0'], own, ['of-a', ''])).toEqual([
      'of-a',
      'of-b',
      null,
      '',
    ])
    for (const lines of [[], ['of-a', 'of-b', 'of-nobody']])
      expect(() => passwords([A, 'redis://c/0'], {}, lines)).toThrow(
        `--password-stdin needs one line for each store that the command names without a password, in their order and empty for none: 2, and it got ${lines.length}. Nothing was contacted`,
      )
  })
})

it.each([
  ['redis://cache.example.com:6380/3', 'REDIS_AT_CACHE_EXAMPLE_COM_PORT_6380'],
  ['rediss://cache-1/0?ca=/etc/ca.pem', 'REDISS_AT_CACHE__1'],
  ['redis+sentinel://h1,h2:7000/main/0', 'REDIS_SENTINEL_AT_H1_AND_H2_PORT_7000_GROUP_main'],
  ['redis://[::1]/0', 'REDIS_AT____3A3A___1'],
  ['redis://кэш.example/0', 'REDIS_AT_XN___2D2D___J1A2AO_EXAMPLE'],
  ['mysql://ops@db1/shop', 'MYSQL_USER_ops_AT_DB1'],
  ['mysql://ops@db1/shop?tls=true', 'MYSQL_USER_ops_AT_DB1_TLS'],
  ['dynamodb://AKIA@eu-west-1/locks', 'DYNAMODB_USER_AKIA_AT_EU__WEST__1'],
])('the variable of %s is LOCKKEEPER_PASSWORD_%s', (address, name) => {
  expect(variableFor(parseAddress(address))).toBe(`LOCKKEEPER_PASSWORD_${name}`)
})

it('no two accounts share a variable', () => {
  const hosts = [
    'cache',
    'cache-1',
    'cache.1',
    'cache_1',
    'cache--1',
    'cache.-1',
    'cache-.1',
    'cache.port.1',
    'at.user',
  ]
  const all = hosts.flatMap(host => [
    ...['redis', 'rediss', 'redis+cluster'].flatMap(scheme => [
      `${scheme}://${host}`,
      `${scheme}://${host}:1`,
    ]),
    ...['a', 'b', 'A', 'at', 'AT', 'a.at', 'a@', 'a_at_b', 'USER', 'ä'].map(
      user => `redis://${encodeURIComponent(user)}@${host}`,
    ),
    ...[
      `mysql://u@${host}/d`,
      `mysql://u@${host}/d?tls=true`,
      `mysql://u@${host}/d?allowPublicKeyRetrieval=true`,
    ],
    ...['main', 'Main', 'ma-in'].map(group => `redis+sentinel://${host}/${group}`),
    ...hosts.map(other => `redis+cluster://${host},${other}`),
  ])
  const names = all.map(text => variableFor(parseAddress(text)))
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  expect(names.filter(name => !/^\w+$/.test(name))).toEqual([])
})

it('other processes get none of them', () => {
  const env = {
    LOCKKEEPER_STORES: 'x',
    LOCKKEEPER_PASSWORD: 'x',
    LOCKKEEPER_PASSWORD_A: 'x',
    LOCKKEEPER_STORES_A: 'y',
  }
  expect(withoutSecrets({ ...env, HOME: '/h' })).toEqual({ LOCKKEEPER_STORES_A: 'y', HOME: '/h' })
})
