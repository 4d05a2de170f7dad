import { expect, test } from 'vitest'
import {
  AddressError,
  accountOf,
  fullAddress,
  hasPassword,
  parseAddress,
  shortName,
  showAddress,
} from '../../shared/address.ts'
import { WITH_PASSWORD, WITHOUT_PASSWORD } from './arguments.ts'

const common = { username: null, password: null, format: null }
const noTls = { ca: null, cert: null, key: null, servername: null }
const redis = {
  ...common,
  kind: 'redis',
  mode: 'standalone',
  nodes: null,
  tls: false,
  group: null,
  db: 0,
  match: null,
  ...noTls,
} as const
const mysql = {
  ...common,
  kind: 'mysql',
  host: 'h',
  port: 3306,
  database: 'd',
  table: null,
  tls: false,
  allowPublicKeyRetrieval: false,
  ...noTls,
}
const dynamo = {
  ...common,
  kind: 'dynamodb',
  region: 'eu-west-1',
  table: 'locks',
  endpoint: null,
  profile: null,
  ...noTls,
}
const at = (host: string, port: number) => ({ host, port })
const two = [at('h1', 6379), at('h2', 7000)]

test.each<[string, object]>([
  [
    'redis://user:pass@host:1234/5?match=lockRecharge:*',
    {
      ...redis,
      username: 'user',
      password: 'pass',
      hosts: [at('host', 1234)],
      db: 5,
      match: 'lockRecharge:*',
    },
  ],
  ['redis://h', { ...redis, hosts: [at('h', 6379)] }],
  ['redis://h/', { ...redis, hosts: [at('h', 6379)] }],
  ['REDIS://h/0/', { ...redis, hosts: [at('h', 6379)] }],
  ['redis://:pw@h', { ...redis, password: 'pw', hosts: [at('h', 6379)] }],
  ['redis://u@h', { ...redis, username: 'u', hosts: [at('h', 6379)] }],
  ['redis://u:@h', { ...redis, username: 'u', password: '', hosts: [at('h', 6379)] }],
  [
    'redis://u:p@s:s#w[o]rd,@h',
    { ...redis, username: 'u', password: 'p@s:s#w[o]rd,', hosts: [at('h', 6379)] },
  ],
  ...['h3', 'h_3., 10.1.0.0/16', '.example.com', '::1,fd00:1::/32', '10.0.0.7', 'кэш.example'].map(
    nodes =>
      [`redis+cluster://h?nodes=${nodes}`, { ...redis, mode: 'cluster', hosts: [at('h', 6379)], nodes }] as [
        string,
        object,
      ],
  ),
  ['redis://h?match=a#b', { ...redis, hosts: [at('h', 6379)], match: 'a#b' }],
  ['redis://[::1]:7000/2', { ...redis, hosts: [at('::1', 7000)], db: 2 }],
  ['rediss://h?format=token', { ...redis, tls: true, hosts: [at('h', 6379)], format: 'token' }],
  ['rediss://h?ca=/etc/ca.pem', { ...redis, tls: true, ca: '/etc/ca.pem', hosts: [at('h', 6379)] }],
  [
    'redis+sentinel://h1,h2:7000/name/3',
    { ...redis, mode: 'sentinel', hosts: [at('h1', 26379), at('h2', 7000)], group: 'name', db: 3 },
  ],
  [
    'rediss+sentinel://h/name',
    { ...redis, mode: 'sentinel', tls: true, hosts: [at('h', 26379)], group: 'name' },
  ],
  ['redis+cluster://h1,h2:7000', { ...redis, mode: 'cluster', hosts: two }],
  ['rediss+cluster://h1,h2:7000/0', { ...redis, mode: 'cluster', tls: true, hosts: two }],
  ['mysql://h/d', mysql],
  [
    'mysql://u:p@h:3307/d/?table=shed%2Flock&tls=true&format=shedlock-table',
    {
      ...mysql,
      username: 'u',
      password: 'p',
      port: 3307,
      table: 'shed/lock',
      tls: true,
      format: 'shedlock-table',
    },
  ],
  [
    'mysql://h/d?tls=true&ca=/etc/ca.pem&cert=c.pem&key=k.pem&servername=db.example',
    { ...mysql, tls: true, ca: '/etc/ca.pem', cert: 'c.pem', key: 'k.pem', servername: 'db.example' },
  ],
  ['mysql://h/d?allowPublicKeyRetrieval=true', { ...mysql, allowPublicKeyRetrieval: true }],
  ['dynamodb://eu-west-1/locks', dynamo],
  [
    'dynamodb://eu-west-1/locks/?endpoint=http://127.0.0.1:8000&profile=ops',
    { ...dynamo, endpoint: 'http://127.0.0.1:8000', profile: 'ops' },
  ],
  [
    'dynamodb://eu-west-1/locks?endpoint=https://h&ca=/etc/ca.pem',
    { ...dynamo, endpoint: 'https://h', ca: '/etc/ca.pem' },
  ],
  ['memory:practice', { ...common, kind: 'memory', name: 'practice' }],
  ['Memory:practice?format=x', { ...common, kind: 'memory', name: 'practice', format: 'x' }],
])('understands %s', (text, address) => {
  expect(parseAddress(text)).toEqual(address)
})

test.each<readonly [string, RegExp]>([
  ['', /starts with redis:/],
  ['host:6379', /starts with redis:/],
  ['postgres://h/d', /Unknown kind of store "postgres:\/\/"/],
  ['constructor://h', /Unknown kind of store/],
  ...['0', '65536', '99999', 'abc', '-1', '', '1\n2', '6379:1'].map(
    port => [`redis://h:${port}/0`, /port must be a number from 1 to 65535/] as const,
  ),
  ['redis://', /host is missing/],
  ['redis://u:p@/0', /host is missing/],
  ['redis+cluster://h1,,h2', /host is missing/],
  ['redis://::1', /host is not valid|port must be/],
  ['redis://h\u001b[31m', /host is not valid/],
  ['redis://h\u202eh', /host is not valid/],
  ['redis://h\ud800', /not valid Unicode/],
  ['mysql://h1,h2/d', /host is not valid/],
  ['redis://h1,h2', /Several hosts need redis\+sentinel/],
  ['redis+sentinel://h1', /names its group/],
  ['redis+sentinel://h1/', /names its group/],
  ['redis+cluster://h/1', /database 0 only/],
  ['redis://h/abc', /database must be a number/],
  ['redis://h/0#x', /database must be a number/],
  ['redis://h/0/1', /after the Redis database/],
  [
    'redis://h?table=x',
    /Unknown option in the address; redis takes match, format, nodes, ca, cert, key, servername$/,
  ],
  ['redis://h?match', /option match has no value/],
  ...[
    'h:6379',
    '*.example.com',
    '10.0.0.0/33',
    '[::1]',
    'fd00::/129',
    'h/8',
    '1.2.3.400/8',
    'a,,b',
    'a b',
    ' ',
  ].map(
    nodes => [`redis+cluster://h?nodes=${nodes}`, /nodes must list hosts without ports, networks/] as const,
  ),
  ['redis://h?match=', /option match has no value/],
  ['dynamodb://eu-west-1/locks?endpoint=', /option endpoint has no value/],
  ['redis://h?match=a&match=b', /option match is given twice/],
  ['redis://h?match=a%zz', /% that is not followed/],
  ['memory:', /has a name/],
  ['memory://practice', /has a name/],
  ['mysql://h', /names its database/],
  ['mysql://h/', /names its database/],
  ['mysql://h/d/t', /after the MySQL database/],
  ['mysql://h/d?tls=yes', /tls must be/],
  ['mysql://h/d?ca=/etc/ca.pem', /need TLS: use tls=true$/],
  ['mysql://h/d?tls=false&servername=x', /need TLS: use tls=true$/],
  ['redis://h?ca=/etc/ca.pem', /need TLS: use rediss:/],
  ['dynamodb://eu-west-1', /names its table/],
  ['dynamodb://eu_west/locks', /starts with its region/],
  ['dynamodb://localhost:8000/locks', /starts with its region/],
  ['dynamodb:///locks', /starts with its region/],
  ...['nonsense', 'ftp://h', 'http://', 'http://h/path', 'http://h?x', 'http://h#x'].map(
    endpoint =>
      [
        `dynamodb://eu-west-1/locks?endpoint=${encodeURIComponent(endpoint)}`,
        /endpoint must look like/,
      ] as const,
  ),
  ['dynamodb://eu-west-1/locks?endpoint=http://secret%40h:80', /host is not valid/],
  ['dynamodb://eu-west-1/locks?endpoint=http://h:0', /port must be/],
])('refuses %j', (text, message) => {
  expect(() => parseAddress(text)).toThrow(AddressError)
  expect(() => parseAddress(text)).toThrow(message)
})

test.each<readonly [string, string]>([
  ['redis://127.0.0.1:6379/0', 'redis at 127.0.0.1'],
  ['redis://127.0.0.1:7411/3', 'redis at 127.0.0.1:7411/3'],
  ['rediss://u:secret@cache:6380', 'redis at cache:6380'],
  ['redis://[::1]:6379', 'redis at ::1'],
  ['redis://[::1]:7000/2', 'redis at [::1]:7000/2'],
  ['redis+sentinel://h1,h2:7000/main/3', 'main at h1/3'],
  // The usual port of the others, not of a Sentinel.
  ['redis+sentinel://h1:6379/main', 'main at h1:6379'],
  ['redis+cluster://h1:7000,h2:7000', 'redis at h1:7000'],
  ['mysql://root:secret@db:3306/app', 'app at db'],
  ['mysql://root:secret@db:3307/app', 'app at db:3307'],
  ['dynamodb://eu-west-1/locks', 'locks'],
  ['memory:practice', 'practice'],
])('%s is called %s until the operator names it', (text, name) => {
  expect(shortName(parseAddress(text))).toBe(name)
})

test.each<readonly [string, string]>([
  ['redis://127.0.0.1:7411', 'redis://127.0.0.1:7412'],
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6380'],
  ['mysql://127.0.0.1:3306/app', 'mysql://127.0.0.1:3307/app'],
])('%s and %s, two servers on one host, have two names', (one, other) => {
  expect(shortName(parseAddress(one))).not.toBe(shortName(parseAddress(other)))
})

test.each([
  'redis://:p%20w%40%3A@h:6379/0',
  'redis+cluster://ops:pw@h1:6379,h2:7000?nodes=h3,10.1.0.0/16,.example.com',
  'mysql://ops:p%2Fw@h:3306/d',
  'dynamodb://AKIA:key@eu-west-1/locks',
  'memory:practice',
])('prints %s with its password, for our own processes', text => {
  expect(fullAddress(parseAddress(text))).toBe(text)
})

test.each([
  ...WITH_PASSWORD.map(text => [text, true] as const),
  ...WITHOUT_PASSWORD.map(text => [text, false] as const),
])('whether %j is an address with a password: %j', (text, is) => {
  expect(hasPassword(text)).toBe(is)
})

test('the account of an address covers what decides where and how a password is sent, and nothing else', () => {
  const account = (text: string) => accountOf(parseAddress(text))
  const base = account('redis+cluster://ops@h')
  for (const same of ['redis+cluster://ops:pw@h:6379?match=x', 'redis+cluster://ops@h?format=token'])
    expect(account(same)).toBe(base)
  for (const other of [
    'redis+cluster://h',
    'redis+cluster://ops@i',
    'redis+cluster://ops@h:1',
    'redis://ops@h',
  ])
    expect(account(other)).not.toBe(base)
  expect(account('rediss+cluster://ops@h?servername=a')).not.toBe(account('rediss+cluster://ops@h'))
  // An option that a later version adds must not make every sealed password unusable.
  expect(base).not.toMatch(/null|false|nodes/)
  expect(showAddress(parseAddress('redis+cluster://ops:pw@h'))).not.toContain('pw')
})
