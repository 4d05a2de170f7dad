import type { HostPort, StoreAddress } from '../../../../shared/address.ts'
import type { AddressField, AddressScheme, KindDescription } from '../../../../shared/kinds.ts'
import { type TlsFields, tlsFields } from '../wire/tls.ts'

export type RedisAddress = StoreAddress &
  TlsFields & {
    readonly kind: 'redis'
    readonly mode: 'standalone' | 'sentinel' | 'cluster'
    readonly tls: boolean
    readonly hosts: readonly HostPort[]
    /** The Sentinel group's name. */
    readonly group: string | null
    readonly db: number
    /** The SCAN pattern, or null for every key. A pattern is the operator saying "these are locks". */
    readonly match: string | null
    /**
     * Servers that a cluster or a Sentinel may name, besides those that are expected anyway: hosts, networks (10.1.0.0/16) and
     * domains (.example.com), separated by commas.
     */
    readonly nodes: string | null
  }

const DATABASE: AddressField = {
  name: 'db',
  type: 'number',
  pattern: '^\\d{1,5}$',
  preset: '0',
  problem: 'The Redis database must be a number',
}

const GROUP: AddressField = {
  name: 'group',
  problem: 'A Sentinel address names its group: redis+sentinel://host1,host2/group/0',
}

type Mode = Omit<AddressScheme, 'prefix' | 'sets' | 'pathEnd'>

const MODES: Readonly<Record<RedisAddress['mode'], Mode>> = {
  standalone: {
    at: { is: 'hosts', port: 6379, onlyOne: 'Several hosts need redis+sentinel:// or redis+cluster://' },
    path: [DATABASE],
    shortName: 'redis at {host}{/db}',
  },
  sentinel: {
    at: { is: 'hosts', port: 26379 },
    path: [GROUP, DATABASE],
    shortName: '{group} at {host}{/db}',
  },
  cluster: {
    at: { is: 'hosts', port: 6379 },
    path: [{ ...DATABASE, pattern: '^0$', problem: 'Redis Cluster has database 0 only', isHidden: true }],
    shortName: 'redis at {host}',
  },
}

function scheme(mode: RedisAddress['mode'], tls: boolean): AddressScheme {
  const prefix = `redis${tls ? 's' : ''}${mode === 'standalone' ? '' : `+${mode}`}://`
  return { prefix, sets: { mode, tls }, pathEnd: 'Redis database', ...MODES[mode] }
}

export const REDIS_ADDRESS: KindDescription['address'] = {
  schemes: [
    scheme('standalone', false),
    scheme('standalone', true),
    scheme('sentinel', false),
    scheme('sentinel', true),
    scheme('cluster', false),
    scheme('cluster', true),
  ],
  options: [
    { name: 'match' },
    { name: 'format' },
    { name: 'nodes', type: 'hosts and networks' },
    ...tlsFields('rediss://'),
  ],
  account: ['mode', 'tls', 'ca', 'servername', 'group', 'hosts', 'nodes'],
  place: { server: ['group'], same: ['db'], narrows: [] },
}
