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
    const own = { LOCKKEEPER_PASSWORD_SHOP_AT_B: 'of-b' }
    const shared = { LOCKKEEPER_PASSWORD: 'of-one' }
    expect(
      passwords(['redis://:in-address@a/0'], { ...shared, LOCKKEEPER_PASSWORD_REDIS_AT_A: 'x' }),
    ).toEqual(['in-address'])
    expect(passwords([B], { ...own, ...shared })).toEqual(['of-b'])
    expect(passwords([A], { ...own, ...shared })).toEqual(['of-one'])
    expect(passwords([A, B], own)).toEqual([null, 'of-b'])
    expect(passwords([A, B], { ...own, ...shared })).toEqual(['of-one', 'of-b'])
  })

  it('is never sent to a second account: every store without one is named, with its variable', () => {
    for (const other of [B, 'redis://b/0', 'redis://a:6380/0', 'redis://other@a/0', 'rediss://a/0'])
      expect(() => passwords([A, other], { LOCKKEEPER_PASSWORD: 'hunter2' })).toThrow(
        /^LOCKKEEPER_PASSWORD is the password of one store, and 2 stores have none of their own\. Nothing was contacted: set LOCKKEEPER_PASSWORD_REDIS_AT_A for redis at a, LOCKKEEPER_PASSWORD_\w+ for/,
      )
    expect(() => passwords([A, B], { LOCKKEEPER_PASSWORD: 'hunter2' })).not.toThrow(/hunter2/)
  })

  it('is one for one account, whatever is read with it', () => {
    expect(passwords([A, 'redis://a/1?match=x'], { LOCKKEEPER_PASSWORD: 'p' })).toEqual(['p', 'p'])
    // Neither takes a password.
    const none = ['memory:practice', 'dynamodb://eu-west-1/locks']
    expect(passwords([A, ...none], { LOCKKEEPER_PASSWORD: 'p' })).toEqual(['p', null, null])
    expect(() => passwords([A, 'dynamodb://AKIA@eu-west-1/locks'], { LOCKKEEPER_PASSWORD: 'p' })).toThrow(
      'LOCKKEEPER_PASSWORD_LOCKS for locks',
    )
  })

  it('is not shared by two stores whose variables would have one name', () => {
    const variables = {
      LOCKKEEPER_PASSWORD_REDIS_AT_A_B: 'first',
      LOCKKEEPER_PASSWORD_REDIS_AT_A_B_2: 'second',
    }
    expect(passwords(['redis://a.b/0', 'redis://a-b/0', 'redis://a.b/0?match=x'], variables)).toEqual([
      'first',
      'second',
      'first',
    ])
  })

  it('is only that of its own variable for an address that the operator did not name', () => {
    const own = { LOCKKEEPER_PASSWORD_SHOP_AT_B: 'of-b', LOCKKEEPER_PASSWORD: 'p' }
    const known = (named: readonly string[]) =>
      withPasswords([A, B], own, null, named).map(({ password }) => password)
    expect(known([])).toEqual([null, 'of-b'])
    expect(known(['redis://a/1'])).toEqual(['p', 'of-b'])
  })

  it('is a line of the standard input for each store without one, in their order, and no more', () => {
    const own = { LOCKKEEPER_PASSWORD_SHOP_AT_B: 'of-b', LOCKKEEPER_PASSWORD: 'not used' }
    expect(passwords([A, B, 'memory:x', 'redis://c/0'], own, ['of-a', ''])).toEqual([
      'of-a',
      'of-b',
      null,
      '',
    ])
    for (const lines of [[], ['of-a', 'of-b', 'of-nobody']])
      expect(() => passwords([A, 'redis://c/0'], {}, lines)).toThrow(
        `--password-stdin needs one line for each store without a password, in their order: 2, and it got ${lines.length}. Nothing was contacted`,
      )
  })
})

it.each([
  ['redis://cache.example.com:6380/3', 'LOCKKEEPER_PASSWORD_REDIS_AT_CACHE_EXAMPLE_COM_6380_3'],
  ['redis+sentinel://h1,h2/main/0', 'LOCKKEEPER_PASSWORD_MAIN_AT_H1'],
  ['redis://[::1]/0', 'LOCKKEEPER_PASSWORD_REDIS_AT_1'],
  ['mysql://ops@db1/shop', 'LOCKKEEPER_PASSWORD_SHOP_AT_DB1'],
  ['dynamodb://AKIA@eu-west-1/locks', 'LOCKKEEPER_PASSWORD_LOCKS'],
])('the variable of %s is %s', (address, name) => {
  expect(variableFor(parseAddress(address))).toBe(name)
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
