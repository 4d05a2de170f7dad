import { expect, it } from 'vitest'
import { parseAddress, passwordFits } from '../../shared/address.ts'

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
