import type { DynamoAddress } from '../../../../shared/address.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { saySize } from '../../bytes.ts'
import { itemJson } from './attribute.ts'
import { expressionsOf } from './expression.ts'
import type { DynamoProgram, DynamoRaw } from './record.ts'
import { keyOf } from './table-key.ts'

/** Longer ones cannot be pasted into a terminal any more. */
const LONGEST = 8 * 1024

/** The release as a command of the AWS CLI that does the same, condition included. */
export function awsCommand(address: DynamoAddress, raw: DynamoRaw, program: DynamoProgram): string {
  const { keySchema } = raw
  const expressions = expressionsOf(program, keySchema.partition.name)
  const values = expressions.ExpressionAttributeValues
  const command = [
    `aws dynamodb ${program.op}-item`,
    `--region ${quoted(address.region)}`,
    ...(address.endpoint === null ? [] : [`--endpoint-url ${quoted(address.endpoint)}`]),
    ...(address.profile === null ? [] : [`--profile ${quoted(address.profile)}`]),
    `--table-name ${quoted(address.table)}`,
    `--key ${quotedJson(itemJson(keyOf(keySchema, raw.item)))}`,
    ...(expressions.UpdateExpression ? [`--update-expression ${quoted(expressions.UpdateExpression)}`] : []),
    `--condition-expression ${quoted(expressions.ConditionExpression)}`,
    `--expression-attribute-names ${quotedJson(expressions.ExpressionAttributeNames)}`,
    ...(values ? [`--expression-attribute-values ${quotedJson(itemJson(values))}`] : []),
  ].join(' ')
  if (command.length <= LONGEST) return command
  return `${program.op}-item with a condition of ${saySize(command.length)}, too long for a command line`
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** JSON can write a quote as \u0027, which leaves nothing for the shell to see. */
function quotedJson(value: unknown): string {
  return `'${safeJson(value).replaceAll("'", '\\u0027')}'`
}
