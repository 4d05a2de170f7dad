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
        sentBefore.set(Object(error), secretsIn(args.request, args.input))
        throw error
      }
    },
    // After the signature, and around the code that turns an error answer into an exception.
    { step: 'deserialize', priority: 'high', name: 'rememberSecrets' },
  )
}

/** The secret key is not sent. An id shorter than those of AWS is a placeholder for an emulator. */
function secretsIn(request: unknown, input: object): string[] {
  const { headers } = request as { readonly headers: Readonly<Record<string, string>> }
  const authorization = headers['authorization'] ?? ''
  const sent = [
    /Credential=([^/]{16,})\//.exec(authorization)?.[1],
    /Signature=(\w+)/.exec(authorization)?.[1],
    headers['x-amz-security-token'],
  ]
  return [...sent.filter(each => each !== undefined), ...valuesIn(input)]
}

/** Values that a write compares or stores: tokens are among them. Shorter ones are words, numbers and times. */
function valuesIn(input: {
  readonly Item?: unknown
  readonly ExpressionAttributeValues?: unknown
}): string[] {
  return textsIn([input.Item, input.ExpressionAttributeValues]).filter(text => text.length >= 16)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
