import { expect, it } from 'vitest'
import { isSamePlace, parseAddress, passwordFits } from '../../shared/address.ts'

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
  ['redis://h/0', 'mysql://h/shop', false],
])('%s and %s', (a, b, same) => {
  expect(isSamePlace(parseAddress(a), parseAddress(b))).toBe(same)
  expect(isSamePlace(parseAddress(b), parseAddress(a))).toBe(same)
})

it.each([
  ['mysql://u@h/d', 'mysql://u@h/d?allowPublicKeyRetrieval=true'],
  ['mysql://u@h/d?tls=true', 'mysql://u@h/d?tls=true&ca=/tmp/ca.pem'],
  ['mysql://u@h/d?tls=true', 'mysql://u@h/d?tls=true&servername=other.example'],
  ['rediss://u@h', 'rediss://u@h?ca=/tmp/ca.pem'],
  ['rediss://u@h', 'rediss://u@h?servername=other.example'],
  [
    'dynamodb://eu-west-1/locks?endpoint=https://h',
    'dynamodb://eu-west-1/locks?endpoint=https://h&ca=/tmp/ca.pem',
  ],
])('a password kept for %s is not sent to %s, which trusts other servers', (known, wanted) => {
  expect(passwordFits(parseAddress(known), parseAddress(wanted))).toBe(false)
  expect(passwordFits(parseAddress(known), parseAddress(known))).toBe(true)
})
