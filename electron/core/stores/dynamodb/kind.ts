import type { StoreKind } from '../kind.ts'
import type { Variables } from '../variables.ts'
import { NO_TLS, TLS_INPUTS } from '../wire/tls.ts'
import { DYNAMODB_ADDRESS, type DynamoAddress } from './address.ts'
import { DYNAMODB_FORMATS } from './formats/index.ts'

export const dynamodbKind: StoreKind = {
  description: {
    id: 'dynamodb',
    label: 'DynamoDB',
    aliases: [],
    address: DYNAMODB_ADDRESS,
    form: {
      inputs: [
        { field: 'region', label: 'Region' },
        { field: 'table', label: 'Table' },
        { field: 'endpoint', label: 'Endpoint', hint: 'Only for emulators and private endpoints' },
        { field: 'profile', label: 'AWS profile' },
        { field: 'username', label: 'Access key id' },
        ...TLS_INPUTS,
      ],
      initial: { region: 'eu-west-1' },
      password: 'Secret access key',
    },
    isEmbedded: false,
    releasesPerSecond: 25,
    // A scan consumes capacity, which costs money.
    rests: { watchedMs: 5000, unwatchedMs: 30_000, urgentMs: 2000 },
    requests: ['request', 'requests'],
    tool: 'the AWS CLI',
    variables: ['DYNAMODB_LOCK_TABLE', 'AWS_REGION'],
    advantages: [
      'It is managed: there is no server to run.',
      'Locks are durable, in several places at once.',
      'A conditional write decides who gets a lock.',
    ],
    considerations: [
      'Every request costs money, one that is refused as well.',
      'A request takes 10 to 50 ms.',
      'Its own TTL deletes expired items hours or days later: programs must look at the time themselves.',
      'Times are whole seconds.',
    ],
    afterExpiry:
      'The next run may take over an expired item; DynamoDB’s own TTL deletes it hours or days later.',
    arrival: {
      load: 'At the present pace that is about {perDay} requests a day that are paid for, more with waiting and renewing.',
      leftovers: 'From then on expired items stay visible for hours, and mean nothing.',
      ends: 'ends by itself when it is acquired with a time to live',
      clock: 'leave leases a margin',
    },
  },

  formats: DYNAMODB_FORMATS,

  environment: [{ suggestionId: 'env:dynamodb', read: byTable }],

  open: async address => new (await import('./store.ts')).DynamoStore(address as DynamoAddress),
}

function byTable(variables: Variables): DynamoAddress | null {
  const table = variables.text('DYNAMODB_LOCK_TABLE', 'LOCK_TABLE')
  const region = variables.text('AWS_REGION', 'AWS_DEFAULT_REGION')
  if (table === null || region === null) return null
  return {
    kind: 'dynamodb',
    region,
    table,
    endpoint: variables.text('AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL', 'DYNAMODB_ENDPOINT'),
    profile: variables.text('AWS_PROFILE'),
    ...NO_TLS,
    username: null,
    password: null,
    format: null,
  }
}
