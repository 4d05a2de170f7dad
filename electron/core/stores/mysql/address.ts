import type { KindDescription } from '../../../../shared/kinds.ts'

export type MysqlAddress = {
  readonly kind: 'mysql'
  readonly host: string
  readonly port: number
  readonly username: string | null
  readonly password: string | null
  readonly database: string
  readonly table: string | null
  readonly format: string | null
  readonly tls: boolean
}

export const MYSQL_ADDRESS: KindDescription['address'] = {
  schemes: [
    {
      prefix: 'mysql://',
      sets: {},
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
  options: [{ name: 'table' }, { name: 'format' }, { name: 'tls', type: 'flag' }],
  account: ['host', 'port', 'tls'],
  place: { same: ['database'], narrows: ['table'] },
}
