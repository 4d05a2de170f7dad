import type { StoreAddress } from '../../../../shared/address.ts'
import type { StoreKind } from '../kind.ts'
import { addressByUrl, type Variables } from '../variables.ts'
import { INPUTS_WITH_TLS, NO_TLS } from '../wire/tls.ts'
import { MYSQL_ADDRESS, type MysqlAddress } from './address.ts'
import { MYSQL_FORMATS } from './formats/index.ts'

export const mysqlKind: StoreKind = {
  description: {
    id: 'mysql',
    label: 'MySQL',
    aliases: ['mariadb'],
    address: MYSQL_ADDRESS,
    form: {
      inputs: [
        { field: 'hosts', label: 'Host' },
        { field: 'database', label: 'Database' },
        { field: 'username', label: 'User' },
        { field: 'table', label: 'Table', hint: 'Default: all lock tables' },
        { field: 'tls', label: 'Use TLS', choices: 'on or off' },
        ...INPUTS_WITH_TLS,
        {
          field: 'allowPublicKeyRetrieval',
          label: 'Allow public key retrieval',
          choices: 'on or off',
          when: { field: 'tls', is: [''] },
        },
      ],
      initial: { hosts: '127.0.0.1:3306' },
      password: 'Password',
    },
    isEmbedded: false,
    releasesPerSecond: 100,
    rests: { watchedMs: 1000, unwatchedMs: 5000, urgentMs: 1000 },
    requests: ['SQL statement', 'SQL statements'],
    tool: 'the mysql client',
    variables: ['MYSQL_HOST', 'MYSQL_PORT', 'MYSQL_DATABASE', 'MYSQL_USER', 'MYSQL_PASSWORD'],
    advantages: [
      'It uses the existing database.',
      'No further service is needed that could fail.',
      'Locks survive a restart of the server.',
    ],
    considerations: [
      'Every lock is load on the main database.',
      'Expired rows stay until something deletes them: the clean-up has to run.',
    ],
    afterExpiry:
      'Rows do not disappear by themselves: check that the clean-up of expired locks runs, and often enough.',
    arrival: {
      load: 'At the present pace that is about {perDay} statements a day more for the main database.',
      leftovers: 'From then on something has to delete expired rows: nothing did that before.',
      ends: 'gets an end when it is acquired with one',
      clock: 'times that programs compute by their own clock end too early or too late by as much',
    },
  },

  formats: MYSQL_FORMATS,

  environment: [
    { suggestionId: 'env:mysql', read: byHost },
    { suggestionId: 'env:database-url', read: byUrl },
  ],

  open: async address => new (await import('./store.ts')).MysqlStore(address as MysqlAddress),
}

function byHost(variables: Variables): MysqlAddress | null {
  const host = variables.host('MYSQL_HOST', 'DB_HOST')
  const database = variables.text('MYSQL_DATABASE', 'DB_NAME', 'DB_DATABASE')
  if (host === null || database === null) return null
  const port = variables.number(3306, 'MYSQL_PORT', 'DB_PORT')
  // Every kind of database calls its variables DB_.
  if (variables.used[0] === 'DB_HOST' && (port === 5432 || isOtherDatabase(variables))) return null
  return {
    kind: 'mysql',
    host,
    port,
    database,
    username: variables.text('MYSQL_USER', 'DB_USER', 'DB_USERNAME'),
    password: variables.exact('MYSQL_PASSWORD', 'DB_PASSWORD', 'DB_PASS'),
    table: null,
    format: null,
    tls: false,
    ...NO_TLS,
    allowPublicKeyRetrieval: false,
  }
}

function isOtherDatabase({ env }: Variables): boolean {
  return ['DB_CONNECTION', 'DB_DRIVER', 'DB_DIALECT', 'DB_ENGINE', 'DB_TYPE'].some(
    name => env[name] && !/mysql|mariadb/i.test(env[name]),
  )
}

function byUrl(variables: Variables): StoreAddress | null {
  const found = addressByUrl(variables, /^mysql:\/\//i, 'DATABASE_URL')
  return found && { ...found.address, tls: wantsTls(found.options) }
}

/** Each client has its own word. Without it the password would travel in clear. */
function wantsTls(options: string): boolean {
  return /(?:^|&)(?:ssl|tls|ssl-?mode|sslaccept|useSSL)=(?!false|0|no|disable)/i.test(options)
}
