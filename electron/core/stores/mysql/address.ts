import type { StoreAddress } from '../../../../shared/address.ts'
import type { KindDescription } from '../../../../shared/kinds.ts'
import { type TlsFields, tlsFields } from '../wire/tls.ts'

export type MysqlAddress = StoreAddress &
  TlsFields & {
    readonly kind: 'mysql'
    readonly host: string
    readonly port: number
    readonly database: string
    readonly table: string | null
    readonly tls: boolean
    /** Without TLS: encrypt the password with whatever key the server sends. */
    readonly allowPublicKeyRetrieval: boolean
  }

export const MYSQL_ADDRESS: KindDescription['address'] = {
  schemes: [
    {
      prefix: 'mysql://',
      at: { is: 'host', port: 3306 },
      path: [
        {
          name: 'database',
          problem: 'A MySQL address names its database: mysql://user@host:3306/database',
        },
      ],
      pathEnd: 'MySQL database',
      shortName: '{database} at {host}',
    },
  ],
  options: [
    { name: 'table' },
    { name: 'format' },
    { name: 'tls', type: 'flag' },
    ...tlsFields('tls=true'),
    { name: 'allowPublicKeyRetrieval', type: 'flag' },
  ],
  account: ['host', 'port', 'tls', 'ca', 'servername', 'allowPublicKeyRetrieval'],
  place: { server: [], same: ['database'], narrows: ['table'], ignoresCase: true },
}
