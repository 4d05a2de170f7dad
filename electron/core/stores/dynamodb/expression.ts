import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoProgram } from './format/record.ts'

type Expressions = {
  ConditionExpression: string
  ExpressionAttributeNames: Record<string, string>
  ExpressionAttributeValues?: Record<string, AttributeValue>
}

/** A program as expressions. Names are aliased and values bound: attribute names are hostile, and many are reserved words. */
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
  const bound = Object.fromEntries(values.map((each, i) => [`:v${i}`, each]))
  return {
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries([...names].map(([attribute, alias]) => [alias, attribute])),
    // DynamoDB refuses an empty map of values.
    ...(values.length === 0 ? {} : { ExpressionAttributeValues: bound }),
  }
}
