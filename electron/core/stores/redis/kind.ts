import type { StoreAddress } from '../../../../shared/address.ts'
import type { StoreKind } from '../kind.ts'
import { addressByUrl, type Variables } from '../variables.ts'
import { INPUTS_WITH_TLS, NO_TLS } from '../wire/tls.ts'
import { REDIS_ADDRESS, type RedisAddress } from './address.ts'
import { REDIS_FORMATS } from './formats/index.ts'

export const redisKind: StoreKind = {
  description: {
    id: 'redis',
    label: 'Redis',
    aliases: [],
    address: REDIS_ADDRESS,
    form: {
      inputs: [
        {
          field: 'mode',
          label: 'Topology',
          choices: [
            ['standalone', 'One server'],
            ['sentinel', 'Sentinel'],
            ['cluster', 'Cluster'],
          ],
        },
        { field: 'hosts', label: 'Host', when: { field: 'mode', is: ['standalone'] } },
        {
          field: 'hosts',
          label: 'Hosts',
          hint: 'host:port, separated by commas',
          when: { field: 'mode', is: ['sentinel', 'cluster'] },
        },
        {
          field: 'nodes',
          label: 'Further nodes',
          hint: 'That may get the password: 10.1.0.0/16, .example.com',
          when: { field: 'mode', is: ['sentinel', 'cluster'] },
        },
        { field: 'group', label: 'Sentinel group', when: { field: 'mode', is: ['sentinel'] } },
        { field: 'db', label: 'Database number', when: { field: 'mode', is: ['standalone', 'sentinel'] } },
        { field: 'username', label: 'User' },
        { field: 'match', label: 'Key pattern', hint: 'Default: all keys. Example: lock:*' },
        { field: 'tls', label: 'Use TLS', choices: 'on or off' },
        ...INPUTS_WITH_TLS,
      ],
      initial: { mode: 'standalone', hosts: '127.0.0.1:6379', db: '0' },
      password: 'Password',
    },
    isEmbedded: false,
    releasesPerSecond: 500,
    rests: { watchedMs: 1000, unwatchedMs: 5000, urgentMs: 1000 },
    requests: ['Redis command', 'Redis commands'],
    tool: 'redis-cli',
    variables: ['REDIS_HOST', 'REDIS_PORT', 'REDIS_DB', 'REDIS_PASSWORD'],
    advantages: [
      'It is made for this: a lock is one small key, acquired and released in one atomic step.',
      'A time to live ends locks by itself, also those of programs that died.',
      'It answers quickly, usually within a millisecond.',
      'It puts no load on the main database.',
    ],
    considerations: [
      'It is one more server to run and to watch.',
      'Locks are in memory: without persistence, a restart of the server loses them.',
      'After a failover the newest locks may be missing on the new primary.',
    ],
    afterExpiry:
      'The key goes by itself only if it has a TTL: where only the value has an expiry, a clean-up job must delete it.',
    arrival: {
      load: null,
      leftovers: null,
      ends: 'ends by itself when it is acquired with a time to live',
      clock: 'leave leases a margin',
    },
  },

  formats: REDIS_FORMATS,

  environment: [
    { suggestionId: 'env:redis', read: byHost },
    { suggestionId: 'env:redis-url', read: variables => byUrl(variables, 'REDIS_URL') },
    {
      suggestionId: 'env:cache',
      read: variables => byUrl(variables, 'INVENIO_CACHE_REDIS_URL', 'CACHE_REDIS_URL'),
    },
  ],

  open: async address => new (await import('./store.ts')).RedisStore(address as RedisAddress),
}

function byHost(variables: Variables): RedisAddress | null {
  const host = variables.host('REDIS_HOST')
  const port = variables.number(6379, 'REDIS_PORT')
  if (variables.used.length === 0) return null
  const tls = variables.flag('REDIS_TLS')
  if (tls === null) return null
  return {
    kind: 'redis',
    mode: 'standalone',
    tls,
    ...NO_TLS,
    username: variables.text('REDIS_USERNAME', 'REDIS_USER'),
    password: variables.exact('REDIS_PASSWORD'),
    // Where programs look when they are given no host.
    hosts: [{ host: host ?? 'localhost', port }],
    group: null,
    db: variables.number(0, 'REDIS_DB'),
    match: null,
    nodes: null,
    format: null,
  }
}

function byUrl(variables: Variables, ...names: readonly string[]): StoreAddress | null {
  return addressByUrl(variables, /^rediss?:\/\//i, ...names)?.address ?? null
}
