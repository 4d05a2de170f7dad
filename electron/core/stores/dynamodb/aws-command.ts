import { safeJson } from '../../../../shared/safe-text.ts'
import { commandLine, shellQuote } from '../../lib/shell-quote.ts'
import type { DynamoAddress } from './address.ts'
import { expressionsOf } from './expression.ts'
import { itemJson } from './format/attribute.ts'
import type { DynamoProgram, DynamoRaw } from './format/record.ts'
import { keyOf } from './format/table-key.ts'

/** The release as a command of the AWS CLI that does the same, condition included; null when there is none or it would be too long. */
export function awsCommand(address: DynamoAddress, raw: DynamoRaw, program: DynamoProgram): string | null {
  // The AWS CLI has neither.
  if (address.cert !== null || address.servername !== null) return null
  const { keySchema } = raw
  const expressions = expressionsOf(program, keySchema.partition.name)
  const { ExpressionAttributeValues: values } = expressions
  return commandLine([
    `aws dynamodb delete-item --region ${shellQuote(address.region)}`,
    ...(address.endpoint === null ? [] : [`--endpoint-url ${shellQuote(address.endpoint)}`]),
    ...(address.ca === null ? [] : [`--ca-bundle ${shellQuote(address.ca)}`]),
    ...(address.profile === null ? [] : [`--profile ${shellQuote(address.profile)}`]),
    `--table-name ${shellQuote(address.table)}`,
    `--key ${quotedJson(itemJson(keyOf(keySchema, raw.item)))}`,
    `--condition-expression ${shellQuote(expressions.ConditionExpression)}`,
    `--expression-attribute-names ${quotedJson(expressions.ExpressionAttributeNames)}`,
    ...(values ? [`--expression-attribute-values ${quotedJson(itemJson(values))}`] : []),
  ])
}

/** JSON can write a quote as \u0027, which leaves nothing for the shell to see. */
function quotedJson(value: unknown): string {
  return `'${safeJson(value).replaceAll("'", '\\u0027')}'`
}
