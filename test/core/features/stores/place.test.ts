import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import {
  isCoveredBy,
  isSamePlace,
  lookUpHosts,
  placeOf,
} from '../../../../electron/core/features/stores/place.ts'

it.each<[string, string, boolean]>([
  ['redis://h/0', 'redis://h:6379/0?match=a:*', true],
  ['redis://ana:x@h/0', 'rediss://h/0', true],
  ['redis://h/0', 'redis://h/1', false],
  ['redis://h/0', 'redis://other/0', false],
  ['redis://localhost/0', 'redis://127.0.0.1/0', true],
  ['redis://[::1]/0', 'redis://LOCALHOST:6379/0', true],
  ['redis://a.localhost/0', 'redis://b.localhost/0', false],
  ['redis://a.localhost/0', 'redis://localhost/0', false],
  ['redis://localhost:7000/0', 'redis://127.0.0.1:7001/0', false],
  ['redis+cluster://a,b', 'redis+cluster://b,a', true],
  ['redis+cluster://a,b', 'redis+cluster://b', true],
  ['redis+cluster://a,b', 'redis+cluster://c', false],
  ['redis+sentinel://a,b/main/0', 'redis+sentinel://b/main/0', true],
  ['redis+sentinel://a,b/main/0', 'redis+sentinel://a,b/other/0', false],
  ['mysql://ana@h/shop', 'mysql://root@h:3306/shop', true],
  ['mysql://h/shop?table=a', 'mysql://h/shop?table=b', false],
  ['mysql://h/shop?table=a', 'mysql://h/shop', true],
  ['mysql://h/shop', 'mysql://h/other', false],
  ['dynamodb://eu-west-1/locks', 'dynamodb://eu-west-1/locks?profile=ops', true],
  ['dynamodb://eu-west-1/locks', 'dynamodb://us-east-1/locks', false],
  [
    'dynamodb://eu-west-1/locks?endpoint=http://localhost:8000',
    'dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:8000/',
    true,
  ],
  ['dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:8000', 'dynamodb://eu-west-1/locks', false],
  [
    'dynamodb://eu-west-1/locks?endpoint=https://dynamodb.eu-west-1.amazonaws.com',
    'dynamodb://eu-west-1/locks',
    true,
  ],
  [
    'dynamodb://eu-west-1/locks?endpoint=https://dynamodb.us-east-1.amazonaws.com',
    'dynamodb://eu-west-1/locks',
    false,
  ],
  ['redis://h/0', 'mysql://h/shop', false],
  ['mysql://h/Shop?table=Locks', 'mysql://h/shop?table=locks', true],
  ['redis+cluster://h:7000', 'redis://h:7000/0', true],
  ['dynamodb://eu-west-1/locks?endpoint=http://h', 'dynamodb://eu-west-1/locks?endpoint=https://h:80', true],
])('%s and %s', (a, b, same) => {
  expect(isSamePlace(placeOf(a), placeOf(b))).toBe(same)
  expect(isSamePlace(placeOf(b), placeOf(a))).toBe(same)
})

/** Each of these connects to a server on 127.0.0.1. */
const SPELLINGS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '0x7f000001',
  '0x7f.0.0.1',
  '2130706433',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '１２７.０.０.１',
  'ｌｏｃａｌｈｏｓｔ',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:FFFF:7F00:0001]',
]

it.each(SPELLINGS)('%s is this machine', host => {
  const one = placeOf('redis://127.0.0.1:7000/0')
  expect(isSamePlace(one, placeOf(`redis://${host}:7000/0`))).toBe(true)
  expect(isSamePlace(one, placeOf(`redis://${host}:7001/0`))).toBe(false)
  const table = (endpoint: string) => placeOf(`dynamodb://eu-west-1/locks?endpoint=http://${endpoint}:8000`)
  expect(isSamePlace(table('localhost'), table(encodeURIComponent(host)))).toBe(true)
})

it.each([
  ['10.0.0.7', '0x0a000007'],
  ['10.0.0.7', '10.7'],
  ['10.0.0.7', '[::ffff:10.0.0.7]'],
  ['redis.example', 'REDIS.example.'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['[2001:db8::1]', '[2001:0DB8:0:0:0:0:0:1]'],
])('%s and %s are one host', (one, other) => {
  expect(isSamePlace(placeOf(`redis://${one}/0`), placeOf(`redis://${other}/0`))).toBe(true)
})

it('compares a host by its addresses once they were looked up', async () => {
  const name = hostname()
  const places = [placeOf(`redis://${name}:7000/0`), placeOf('redis://127.0.0.1:7000/0')] as const
  await lookUpHosts(places)
  // The name of a machine leads to itself: by the loopback address, or by that of one of its network interfaces.
  expect(isSamePlace(...places)).toBe(true)
})

it('compares servers by how they identify themselves, within one database and table', () => {
  const at = (address: string, ...ids: string[]) => placeOf(address, ids)
  const main = at('redis+sentinel://a,b/main/3', 'redis 1', 'redis 2')
  expect(isSamePlace(main, at('redis://tunnel:7000/3', 'redis 2'))).toBe(true)
  expect(isSamePlace(main, at('redis://tunnel:7000/4', 'redis 2'))).toBe(false)
  expect(isSamePlace(main, at('redis://tunnel:7000/3', 'redis 3'))).toBe(false)
  const shop = at('mysql://a/shop?table=locks', 'mysql 1')
  expect(isSamePlace(shop, at('mysql://b/shop', 'mysql 1'))).toBe(true)
  expect(isSamePlace(shop, at('mysql://b/shop?table=other', 'mysql 1'))).toBe(false)
  const table = 'dynamodb://eu-west-1/locks'
  expect(isSamePlace(at(table, 'dynamodb 1'), at(`${table}?endpoint=http://h`, 'dynamodb 1'))).toBe(true)
})

it('tells tables of one name in two accounts apart once both have said who they are', () => {
  const at = (more: string, ...ids: string[]) => placeOf(`dynamodb://eu-west-1/locks${more}`, ids)
  const live = at('?profile=live', 'dynamodb 1')
  expect(isSamePlace(live, at('?profile=lab', 'dynamodb 2'))).toBe(false)
  expect(isSamePlace(live, at('?profile=lab', 'dynamodb 1'))).toBe(true)
  expect(isSamePlace(live, at('?profile=lab'))).toBe(true)
  // A table that was created again.
  expect(isSamePlace(live, at('?profile=live', 'dynamodb 2'))).toBe(true)
})

it('takes servers of one name for one, whatever they say of themselves', () => {
  // The members of a group, or a server and its successor.
  expect(isSamePlace(placeOf('mysql://h/shop', ['mysql 1']), placeOf('mysql://h/shop', ['mysql 2']))).toBe(
    true,
  )
  expect(isSamePlace(placeOf('redis://h/0', ['redis 1']), placeOf('redis://h/0', ['redis 2']))).toBe(true)
})

it('says whether all of a place is within another', () => {
  const [whole, part] = [placeOf('mysql://h/shop'), placeOf('mysql://h/shop?table=locks')]
  expect([isCoveredBy(part, whole), isCoveredBy(whole, part), isCoveredBy(whole, whole)]).toEqual([
    true,
    false,
    true,
  ])
})
