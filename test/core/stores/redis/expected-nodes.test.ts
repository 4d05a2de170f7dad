import { expect, it } from 'vitest'
import type { RedisAddress } from '../../../../electron/core/stores/redis/address.ts'
import { isNamed, isNear } from '../../../../electron/core/stores/redis/expected-nodes.ts'
import { joinRefusals, refuse } from '../../../../electron/core/stores/redis/node-refused.ts'
import { parseAddress } from '../../../../shared/address.ts'

const CLUSTER = 'redis+cluster://'

/** Whether a host or IP address is expected for an address whose hosts have these IP addresses. */
function isExpected(node: string, text: string, ...near: string[]): boolean {
  const address = parseAddress(text) as RedisAddress
  return isNamed(node, address) || isNear(node, address, near)
}

it.each([
  ['a given host', 'cache-1.example.com', 'cache-1.example.com'],
  ['a given host in other letters', 'Cache-1.Example.com.', 'cache-1.example.com'],
  ['any of several given hosts', '198.51.100.7', '203.0.113.9,198.51.100.7'],
  ['the same /16 of a private network', '10.1.77.2', '10.1.0.5:7000'],
  ['the same /16 of another private network', '172.31.9.9', '172.31.0.1'],
  ['the same /24 of a public network', '203.0.113.200', '203.0.113.9'],
  ['the same network, written as IPv6', '::ffff:10.1.3.4', '10.1.0.5'],
  ['the same /64', '2001:db8:0:7::99', '[2001:db8:0:7::1]'],
  ['this machine', '127.0.0.2', '127.0.0.1:7000'],
  ['a host of the list', '203.0.113.9', '10.1.0.5?nodes=198.51.100.1,203.0.113.9'],
  ['a network of the list', '10.244.3.17', '10.96.0.9?nodes=10.244.0.0/16'],
  ['an IPv6 network of the list', 'fd00:1::5', '10.96.0.9?nodes=fd00:1::/32'],
  ['a domain of the list', 'redis-2.example.com', 'redis-1.example.com?nodes=.example.com'],
])('expects %s: %s for %s', (_, node, hosts) => {
  expect(isExpected(node, CLUSTER + hosts)).toBe(true)
})

it.each([
  ['another public host', '203.0.113.9', '198.51.100.7'],
  ['the neighbouring /24 of a public network', '203.0.114.9', '203.0.113.9'],
  ['the neighbouring /16 of a private network', '10.2.0.5', '10.1.0.5'],
  ['another private network', '192.168.0.5', '10.1.0.5'],
  ['a private host beside a public one', '10.0.0.1', '203.0.113.9'],
  ['the neighbouring /64', '2001:db8:0:8::1', '[2001:db8:0:7::1]'],
  ['this machine for another', '127.0.0.1', '10.1.0.5'],
  ['this machine by its name for another', 'localhost', '10.1.0.5'],
  ['another host for this machine', '192.168.0.5', '127.0.0.1'],
  ['a spelling of an IP address', '0x7f.1', '127.0.0.1'],
  ['a spelling of an IP address as one number', '2130706433', '127.0.0.1'],
  ['a name beside a given one', 'b.redis.example.com', 'a.redis.example.com'],
  ['an unqualified name', 'redis-2', 'redis-1'],
  ['an address with a zone', 'fe80::1%eth0', '[fe80::1]'],
  ['a host that is not in the list', '203.0.113.10', '10.1.0.5?nodes=203.0.113.9'],
  ['a name that only ends like the domain of the list', 'thiefexample.com', '10.1.0.5?nodes=.example.com'],
  ['no name at all', '', '10.1.0.5'],
])('does not expect %s: %s for %s', (_, node, hosts) => {
  expect(isExpected(node, CLUSTER + hosts)).toBe(false)
})

it('expects the networks that the given names resolve to', () => {
  expect(isExpected('10.1.9.9', 'redis+cluster://cache', '10.1.0.5', '10.3.0.5')).toBe(true)
  expect(isExpected('10.3.9.9', 'redis+cluster://cache', '10.1.0.5', '10.3.0.5')).toBe(true)
  expect(isExpected('10.2.9.9', 'redis+cluster://cache', '10.1.0.5', '10.3.0.5')).toBe(false)
  expect(isExpected('127.0.0.1', 'redis+cluster://localhost', '::1', '127.0.0.1')).toBe(true)
})

it('expects any host that proves a name of the operator over TLS, and not one that any authority vouches for', () => {
  expect(isExpected('203.0.113.9', 'rediss+cluster://10.1.0.5?ca=/etc/redis/ca.pem')).toBe(true)
  expect(isExpected('203.0.113.9', 'rediss+cluster://10.1.0.5?servername=redis.example.com')).toBe(true)
  expect(isExpected('203.0.113.9', 'rediss+cluster://10.1.0.5')).toBe(false)
})

it('names up to three refused nodes and what to add to the address', () => {
  const say = (text: string, ...nodes: string[]) => {
    const address = parseAddress(text) as RedisAddress
    return joinRefusals(
      address,
      nodes.map(ip => refuse(address, [{ host: ip, port: 6379, ip }])),
    )?.message
  }
  expect(say('redis+cluster://10.1.0.5', '10.2.0.1', '10.2.0.2', '10.2.7.3', '10.2.0.4', '10.2.0.1')).toBe(
    'The cluster names 10.2.0.1:6379, 10.2.0.2:6379, 10.2.7.3:6379 and 1 other as nodes, which are neither hosts of the address nor near one. They were not contacted, because they would get the password. If they are yours, add nodes=10.2.0.0/16 to the address',
  )
  expect(say('redis+cluster://10.1.0.5', '10.2.0.1', '10.3.0.1')).toMatch(
    /add nodes=10\.2\.0\.1,10\.3\.0\.1 to the/,
  )
  expect(say('redis+cluster://10.1.0.5', '203.0.113.8', '203.0.113.9')).toMatch(
    /nodes=203\.0\.113\.8,203\.0\.113\.9 to/,
  )
  expect(say('redis+cluster://10.1.0.5?nodes=10.4.0.1', '10.2.0.1')).toMatch(
    /yours, add 10\.2\.0\.1 to the list nodes= of the address$/,
  )
})
