import { execFileSync } from 'node:child_process'
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { awsCommand } from '../../../../electron/core/stores/dynamodb/aws-command.ts'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { NO_TLS } from '../../../../electron/core/stores/wire/tls.ts'
import { dynamoTable } from '../../../hosts/dynamo-table.ts'
import { rawItem } from './formats/item.ts'

const address: DynamoAddress = {
  kind: 'dynamodb',
  region: 'eu-west-1',
  table: 'locks',
  endpoint: 'http://127.0.0.1:8000',
  profile: "ops's profile",
  username: 'AKIA',
  password: 'SECRET',
  format: null,
  ...NO_TLS,
}

/** The arguments that a real shell would give to the command. */
function argumentsOf(command: string | null): string[] {
  const script = `aws() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

function argumentOf(args: readonly string[], option: string): string {
  return args[args.indexOf(option) + 1] ?? ''
}

describe('the release as a command line', () => {
  const hostile = `'; touch /tmp/owned; $(id) \`id\` "\n\u001b[31m\u202e \\`
  const raw = rawItem('lock_key', { lock_key: { S: hostile }, owner_id: { S: hostile } })
  const command = awsCommand(address, raw, {
    guards: [
      { attribute: 'owner_id', seen: { S: hostile } },
      { attribute: "it's", seen: { B: Uint8Array.of(255) } },
    ],
  })

  it('carries hostile text through a shell unchanged, with its condition', () => {
    const args = argumentsOf(command)
    expect(args.slice(0, 2)).toEqual(['dynamodb', 'delete-item'])
    expect(JSON.parse(argumentOf(args, '--key'))).toEqual({ lock_key: { S: hostile } })
    expect(JSON.parse(argumentOf(args, '--expression-attribute-values'))).toEqual({
      ':v0': { S: hostile },
      ':v1': { B: '/w==' },
    })
    expect(JSON.parse(argumentOf(args, '--expression-attribute-names'))).toMatchObject({ '#n2': "it's" })
    expect(argumentOf(args, '--condition-expression')).toBe(
      'attribute_exists(#n0) AND #n1 = :v0 AND #n2 = :v1',
    )
    expect(argumentOf(args, '--profile')).toBe("ops's profile")
    expect(argumentOf(args, '--endpoint-url')).toBe('http://127.0.0.1:8000')
  })

  it('prints on one line, without control characters and without a secret', () => {
    expect(command).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(command).not.toContain('SECRET')
  })

  it('is null when it would be too long', () => {
    const guards = [{ attribute: 'Info', seen: { S: 'x'.repeat(380_000) } }]
    expect(awsCommand(address, raw, { guards })).toBeNull()
  })
})

it('releases exactly what was seen when its arguments are sent as they are', async () => {
  const { client, table, address: at } = await dynamoTable('lock_key')
  const key = { lock_key: { S: "pipeline:it's $(id)\n" } }
  const hold = (owner: string) =>
    client.send(
      new PutItemCommand({
        TableName: table,
        Item: { ...key, owner_id: { S: owner }, expires_at: { N: '4102444800' }, acquired_at: { N: '1' } },
      }),
    )
  const store = await openStore(at, undefined)
  onTestFinished(() => store.close())
  await hold('run-1')
  const args = argumentsOf(
    (await store.inspect(key.lock_key.S, new AbortController().signal))?.command ?? null,
  )
  const send = () =>
    client.send(
      new DeleteItemCommand({
        TableName: argumentOf(args, '--table-name'),
        Key: JSON.parse(argumentOf(args, '--key')),
        ConditionExpression: argumentOf(args, '--condition-expression'),
        ExpressionAttributeNames: JSON.parse(argumentOf(args, '--expression-attribute-names')),
        ExpressionAttributeValues: JSON.parse(argumentOf(args, '--expression-attribute-values')),
      }),
    )
  const isThere = async () =>
    (await client.send(new GetItemCommand({ TableName: table, Key: key }))).Item !== undefined
  await hold('run-2')
  await expect(send()).rejects.toThrow('conditional')
  expect(await isThere()).toBe(true)
  await hold('run-1')
  await send()
  expect(await isThere()).toBe(false)
})
