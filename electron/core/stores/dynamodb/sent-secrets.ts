import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** What was sent in confidence in the request that failed. */
const sentBefore = new WeakMap<object, readonly string[]>()

/** A request that nobody remembers may have had any secret: the empty one is in every text. */
const UNKNOWN = ['']

export function secretsSentBefore(error: unknown): readonly string[] {
  return sentBefore.get(Object(error)) ?? UNKNOWN
}

/** An endpoint that repeats the request in its error repeats the signature, the session and the tokens of locks. */
export function rememberSecrets(client: DynamoDBClient): void {
  client.middlewareStack.add(
    next => async args => {
      try {
        return await next(args)
      } catch (error) {
        sentBefore.set(Object(error), secretsIn(args.request as SignedRequest))
        throw error
      }
    },
    // After the signature, and around the code that turns an error answer into an exception.
    { step: 'deserialize', priority: 'high', name: 'rememberSecrets' },
  )
}

type SignedRequest = { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown }

/** The secret key is not sent. An id shorter than those of AWS is a placeholder for an emulator. */
function secretsIn({ headers, body }: SignedRequest): string[] {
  const authorization = headers['authorization'] ?? ''
  const sent = [
    /Credential=([^/]{16,})\//.exec(authorization)?.[1],
    /Signature=(\w+)/.exec(authorization)?.[1],
    headers['x-amz-security-token'],
  ]
  return [...sent.filter(each => each !== undefined), ...valuesIn(body)]
}

/** Values that a write compares or stores: tokens are among them. Shorter ones are words, numbers and times. */
function valuesIn(body: unknown): string[] {
  if (typeof body !== 'string') return []
  const { Item, ExpressionAttributeValues } = JSON.parse(body)
  return textsIn([Item, ExpressionAttributeValues]).filter(text => text.length >= 16)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
