import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoProgram } from './format/record.ts'

export type Expressions = {
  ConditionExpression: string
  UpdateExpression?: string
  ExpressionAttributeNames: Record<string, string>
  ExpressionAttributeValues?: Record<string, AttributeValue>
}

/**
 * A program as DynamoDB's expressions. Every name is an alias and every value is bound: attribute names come from the
 * store, and many that locks use (`owner`, `key`, `ttl`, `token`, `data`) are reserved words.
 */
export function expressionsOf(program: DynamoProgram, partitionKey: string): Expressions {
  const names = new Map<string, string>()
  const values: AttributeValue[] = []
  const name = (attribute: string) => {
    const alias = names.get(attribute) ?? `#n${names.size}`
    names.set(attribute, alias)
    return alias
  }
  const value = (bound: AttributeValue) => `:v${values.push(bound) - 1}`

  const conditions = [
    `attribute_exists(${name(partitionKey)})`,
    ...program.guards.map(({ attribute, seen }) =>
      seen === null ? `attribute_not_exists(${name(attribute)})` : `${name(attribute)} = ${value(seen)}`,
    ),
  ]
  const update = program.op === 'update' ? updateOf(program, name, value) : null
  return {
    ConditionExpression: conditions.join(' AND '),
    ...(update === null ? {} : { UpdateExpression: update }),
    ExpressionAttributeNames: Object.fromEntries([...names].map(([attribute, alias]) => [alias, attribute])),
    // DynamoDB refuses an empty map of values.
    ...(values.length === 0
      ? {}
      : { ExpressionAttributeValues: Object.fromEntries(values.map((bound, i) => [`:v${i}`, bound])) }),
  }
}

function updateOf(
  program: Extract<DynamoProgram, { op: 'update' }>,
  name: (attribute: string) => string,
  value: (bound: AttributeValue) => string,
): string {
  const set = Object.entries(program.set).map(([attribute, to]) => `${name(attribute)} = ${value(to)}`)
  const remove = program.remove.map(name)
  return [
    ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.join(', ')}`] : []),
  ].join(' ')
}
