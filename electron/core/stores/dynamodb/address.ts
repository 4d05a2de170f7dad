import type { StoreAddress } from '../../../../shared/address.ts'
import type { KindDescription } from '../../../../shared/kinds.ts'
import { TLS_FIELDS, type TlsFields } from '../wire/tls.ts'

/** Its user name is the access key id, its password the secret access key. */
export type DynamoAddress = StoreAddress &
  TlsFields & {
    readonly kind: 'dynamodb'
    readonly region: string
    readonly table: string
    readonly endpoint: string | null
    readonly profile: string | null
  }

export const DYNAMODB_ADDRESS: KindDescription['address'] = {
  schemes: [
    {
      prefix: 'dynamodb://',
      at: {
        is: 'field',
        field: {
          name: 'region',
          pattern: '^[a-z0-9-]+$',
          problem: 'A DynamoDB address starts with its region: dynamodb://eu-west-1/table',
        },
      },
      path: [
        {
          name: 'table',
          pattern: '^[a-zA-Z0-9_.-]{3,255}$',
          problem:
            'A DynamoDB address names its table (3 to 255 of a-z A-Z 0-9 _ . -): dynamodb://eu-west-1/table',
        },
      ],
      pathEnd: 'DynamoDB table',
      shortName: '{table}',
    },
  ],
  options: [{ name: 'endpoint', type: 'endpoint' }, { name: 'profile' }, { name: 'format' }, ...TLS_FIELDS],
  account: ['region', 'endpoint', 'ca', 'servername'],
  passwordNeedsUser: true,
  place: {
    server: ['region'],
    account: ['username', 'profile'],
    endpoint: 'https://dynamodb.{region}.amazonaws.com',
    same: ['table'],
    narrows: [],
  },
}
