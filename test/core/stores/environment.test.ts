import { expect, it } from 'vitest'
import { suggestStores } from '../../../electron/core/stores/kinds/environment.ts'
import { parseAddress } from '../../../shared/address.ts'
import { storeProfileSchema, suggestionSchema } from '../../../shared/stores.ts'
import { Random } from '../../random.ts'

type Env = Record<string, string>
type Row = [env: Env, ...expected: [id: string, address: string, name: string, password?: string][]]

const ROWS: Row[] = [
  [{}],
  [{ HOME: '/root', PATH: '/bin', LOCK_PROVIDER: 'redis' }],
  [{ REDIS_HOST: 'cache' }, ['env:redis', 'redis://cache:6379/0', 'redis at cache']],
  [{ REDIS_PORT: '6380' }, ['env:redis', 'redis://localhost:6380/0', 'redis at localhost:6380']],
  [
    {
      REDIS_HOST: ' cache\r',
      REDIS_PORT: '6380 ',
      REDIS_PASSWORD: ' s3:c@r/t',
      REDIS_USERNAME: 'ops',
      REDIS_DB: '3',
    },
    ['env:redis', 'redis://ops@cache:6380/3', 'redis at cache:6380/3', ' s3:c@r/t'],
  ],
  [
    { REDIS_HOST: 'cache', REDIS_USER: 'a b@c' },
    ['env:redis', 'redis://a%20b%40c@cache:6379/0', 'redis at cache'],
  ],
  [{ REDIS_HOST: '::1', REDIS_TLS: 'TRUE' }, ['env:redis', 'rediss://[::1]:6379/0', 'redis at ::1']],
  [{ REDIS_HOST: '[::1]', REDIS_TLS: 'off' }, ['env:redis', 'redis://[::1]:6379/0', 'redis at ::1']],
  [
    { REDIS_URL: 'rediss://u:p%40ss@h:7000/2?ssl_cert_reqs=none' },
    ['env:redis-url', 'rediss://u@h:7000/2', 'redis at h:7000/2', 'p@ss'],
  ],
  [{ REDIS_URL: 'redis://h' }, ['env:redis-url', 'redis://h:6379/0', 'redis at h']],
  [{ INVENIO_CACHE_REDIS_URL: 'redis://a/1' }, ['env:cache', 'redis://a:6379/1', 'redis at a/1']],
  [{ CACHE_REDIS_URL: 'redis://:pw@b/1' }, ['env:cache', 'redis://b:6379/1', 'redis at b/1', 'pw']],
  [
    { MYSQL_HOST: 'db', MYSQL_USER: 'app', MYSQL_PASSWORD: 'pw', MYSQL_DATABASE: 'shop' },
    ['env:mysql', 'mysql://app@db:3306/shop', 'shop at db', 'pw'],
  ],
  [
    { DB_HOST: 'db', DB_PORT: '3307', DB_USERNAME: 'app', DB_PASS: 'pw', DB_DATABASE: 'a/b c' },
    ['env:mysql', 'mysql://app@db:3307/a%2Fb%20c', 'a/b c at db:3307', 'pw'],
  ],
  [
    { DB_HOST: 'db', DB_NAME: 'shop', DB_CONNECTION: 'mysql' },
    ['env:mysql', 'mysql://db:3306/shop', 'shop at db'],
  ],
  [
    { DATABASE_URL: 'mysql://u:pw@db/shop?sslmode=require' },
    ['env:database-url', 'mysql://u@db:3306/shop?tls=true', 'shop at db', 'pw'],
  ],
  [
    { DATABASE_URL: 'mysql://db/shop?useSSL=false' },
    ['env:database-url', 'mysql://db:3306/shop', 'shop at db'],
  ],
  [
    { DYNAMODB_LOCK_TABLE: 'ingestor-locks', AWS_DEFAULT_REGION: 'eu-west-1', AWS_PROFILE: 'ops team' },
    ['env:dynamodb', 'dynamodb://eu-west-1/ingestor-locks?profile=ops%20team', 'ingestor-locks'],
  ],
  [
    {
      LOCK_TABLE: 'locks',
      AWS_REGION: 'eu-west-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: 'http://localhost:4566',
    },
    ['env:dynamodb', 'dynamodb://eu-west-1/locks?endpoint=http://localhost:4566', 'locks'],
  ],
  // One server that is described twice is one suggestion, with whatever either of them knows.
  [
    { REDIS_HOST: 'cache', REDIS_URL: 'redis://:pw@cache:6379', CACHE_REDIS_URL: 'redis://cache/1' },
    ['env:redis', 'redis://cache:6379/0', 'redis at cache', 'pw'],
    ['env:cache', 'redis://cache:6379/1', 'redis at cache/1'],
  ],
  // What is broken is no suggestion, and takes no other with it.
  ...[
    { REDIS_HOST: 'two words' },
    { REDIS_HOST: 'a,b' },
    { REDIS_HOST: 'h/0?match=x' },
    { REDIS_HOST: 'user:secret@h' },
    { REDIS_HOST: 'redis://h' },
    { REDIS_HOST: 'h\u001b[31m' },
    { REDIS_HOST: 'h\ud800' },
    { REDIS_HOST: 'h', REDIS_USER: 'u\ud800' },
    { REDIS_HOST: 'h', REDIS_PORT: 'abc' },
    { REDIS_HOST: 'h', REDIS_PORT: '0' },
    { REDIS_HOST: 'h', REDIS_PORT: '99999' },
    { REDIS_HOST: 'h', REDIS_PORT: '-1' },
    { REDIS_HOST: 'h', REDIS_PORT: 'tcp://10.0.0.1:6379' },
    { REDIS_HOST: 'h', REDIS_DB: 'zero' },
    { REDIS_HOST: 'h', REDIS_TLS: 'perhaps' },
    { REDIS_HOST: 'h'.repeat(5000) },
    { REDIS_URL: 'h:6379' },
    { REDIS_URL: 'memory:practice' },
    { REDIS_URL: 'mysql://u@h/db' },
    { REDIS_URL: 'redis://u:p/w@h/0' },
    { REDIS_URL: 'redis://%zz@h/0' },
    { REDIS_URL: 'redis://h/0/more' },
    { MYSQL_HOST: 'db' },
    { MYSQL_DATABASE: 'shop' },
    { DB_HOST: 'db', DB_NAME: 'shop', DB_PORT: '5432' },
    { DB_HOST: 'db', DB_NAME: 'shop', DB_CONNECTION: 'pgsql' },
    { DATABASE_URL: 'postgres://u:p@h/db' },
    { DATABASE_URL: 'mysql://u:p@h' },
    { LOCK_TABLE: 'locks' },
    { LOCK_TABLE: 'lo cks', AWS_REGION: 'eu-west-1' },
    { LOCK_TABLE: 'locks', AWS_REGION: 'eu west' },
    // Without its endpoint it would be the real AWS.
    { LOCK_TABLE: 'locks', AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'localhost:4566' },
  ].map(
    (broken): Row => [
      { ...broken, CACHE_REDIS_URL: 'redis://fine' },
      ['env:cache', 'redis://fine:6379/0', 'redis at fine'],
    ],
  ),
]

it.each(ROWS)('%j suggests what it describes', (env, ...expected) => {
  const found = suggestStores(env)
  expect(
    found.map(({ suggestionId, address, name, password }) => [suggestionId, address, name, password]),
  ).toEqual(expected.map(([id, address, name, password]) => [id, address, name, password ?? null]))
  for (const { password, ...each } of found) {
    expect(suggestionSchema.parse(each)).toEqual(each)
    expect(each.hasPassword).toBe(password !== null)
    if (password) expect(JSON.stringify(each)).not.toContain(password)
  }
})

it.each<[Env, string | null]>([
  [{}, 'env:redis'],
  [{ LOCK_PROVIDER: '' }, 'env:redis'],
  [{ LOCK_PROVIDER: 'Redis' }, 'env:redis'],
  [{ LOCK_PROVIDER: ' MySQL ' }, 'env:mysql'],
  [{ LOCK_PROVIDER: 'etcd' }, null],
  [{ LOCK_PROVIDER: '__proto__' }, null],
  [{ REDIS_HOST: '' }, null],
  [{ REDIS_HOST: '', LOCK_PROVIDER: 'redis' }, 'env:cache'],
])('with %j the current one is %s', (env, current) => {
  const all = { REDIS_HOST: 'r', CACHE_REDIS_URL: 'redis://c', MYSQL_HOST: 'm', MYSQL_DATABASE: 'd' }
  const found = suggestStores({ ...all, ...env })
  expect(found.filter(each => each.current).map(each => each.suggestionId)).toEqual(current ? [current] : [])
})

it('names the variables, not their values', () => {
  const [found] = suggestStores({ REDIS_HOST: 'h', REDIS_PORT: '', REDIS_PASSWORD: 'pw', REDIS_DB: '1' })
  expect(found?.variables.toSorted()).toEqual(['REDIS_DB', 'REDIS_HOST', 'REDIS_PASSWORD'])
})

it('never throws, and suggests only what can be kept and opened', () => {
  const names = [
    ...[
      'LOCK_PROVIDER',
      'REDIS_HOST',
      'REDIS_PORT',
      'REDIS_PASSWORD',
      'REDIS_USERNAME',
      'REDIS_DB',
      'REDIS_TLS',
    ],
    ...[
      'REDIS_URL',
      'CACHE_REDIS_URL',
      'MYSQL_HOST',
      'DB_PORT',
      'DB_USER',
      'DB_PASS',
      'DB_NAME',
      'DATABASE_URL',
    ],
    ...['LOCK_TABLE', 'AWS_REGION', 'AWS_ENDPOINT_URL', 'AWS_PROFILE'],
  ]
  const pieces = [
    'redis://',
    'mysql://',
    'h',
    ':',
    '@',
    '/',
    '?',
    '%',
    '%41',
    '1',
    '漢',
    '\ud800',
    '\0',
    ' ',
    '🔒',
    '\u202e',
    'e\u0301',
    '[',
    ']',
    '::1',
    'http://',
    '&',
    '=',
    ',',
    '-',
    'x'.repeat(70),
  ]
  const random = new Random(11)
  for (let round = 0; round < 20_000; round++) {
    const env: Env = {}
    for (const name of names)
      if (random.below(3) === 0)
        env[name] = Array.from({ length: random.below(6) }, () => random.pick(pieces)).join('')
    for (const { name, address, kind } of suggestStores(env)) {
      expect(parseAddress(address).kind).toBe(kind)
      const profile = { name, address, colour: 'slate', production: false, readOnly: false }
      expect(storeProfileSchema.parse(profile)).toEqual(profile)
    }
  }
})
