import { type AttributeValue, BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import { eachOf, type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { type DynamoConnection, delayAfter, TRIES_MS } from './connect.ts'
import { isAccessDenied, isInvalid, isThrottled, throttledError } from './failure.ts'
import type { Item } from './format/attribute.ts'
import { type KeySchema, keyOf, sameKeyText } from './format/table-key.ts'

export type Key = Record<string, AttributeValue>

/** What one reading of many needs of the store. */
export type Reader = {
  readonly connection: DynamoConnection
  readonly schema: KeySchema
  /** Checks what a server sent. */
  items(sent: unknown): Item[]
  /** One item alone. */
  get(key: Key): Promise<Item | null>
}

/** DynamoDB's own limit. */
const KEYS_A_REQUEST = 100
const SINGLE_AT_ONCE = 8

/**
 * Reads many items as few requests, in the order asked for; null when one is not there. A key that DynamoDB leaves out of
 * its answer to the end of our patience fails by itself. Where the account may not read in batches, or a key is one that
 * DynamoDB refuses, the items are read one by one.
 */
export async function readBatch(
  reader: Reader,
  keys: readonly Key[],
  mayBatch: { denied: boolean },
  signal: AbortSignal,
): Promise<Settled<Item | null>[]> {
  const texts = keys.map(key => sameKeyText(reader.schema, key))
  // The same key twice in a request is an error.
  const distinct = new Map(texts.map((text, i) => [text, keys[i] as Key]))
  const found = new Map<string, Settled<Item | null>>()
  const left = [...distinct]
  for (let start = 0; start < left.length; start += KEYS_A_REQUEST) {
    const chunk = new Map(left.slice(start, start + KEYS_A_REQUEST))
    const single = chunk.size === 1 || mayBatch.denied
    const read = single ? null : await settle(() => batch(reader, chunk, found, signal))
    if (read?.ok) continue
    if (read && isThrottled(read.error.cause)) {
      // What came before that stays read.
      for (const text of chunk.keys()) if (!found.has(text)) found.set(text, read)
      continue
    }
    if (read && !isAccessDenied(read.error.cause) && !isInvalid(read.error.cause)) throw read.error
    if (read && isAccessDenied(read.error.cause)) mayBatch.denied = true
    await eachOf([...chunk], SINGLE_AT_ONCE, async ([text, key]) => {
      found.set(text, await settle(() => reader.get(key)))
    })
  }
  return texts.map(
    text => found.get(text) ?? { ok: false, error: new StoreError('INTERNAL', 'It was not read') },
  )
}

async function batch(
  { connection, schema, items }: Reader,
  chunk: ReadonlyMap<string, Key>,
  found: Map<string, Settled<Item | null>>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  let left = new Map(chunk)
  for (let tries = 1; ; tries++) {
    const command = new BatchGetItemCommand({
      RequestItems: { [connection.table]: { Keys: [...left.values()], ConsistentRead: true } },
      ReturnConsumedCapacity: 'TOTAL',
    })
    const answer = await connection.request(command, { operation: 'BatchGetItem', effect: 'read' }, signal)
    for (const item of items(Object.values(answer.Responses ?? {}).flat())) {
      const text = sameKeyText(schema, keyOf(schema, item))
      if (left.has(text)) found.set(text, { ok: true, value: item })
    }
    const unread = new Set(
      Object.values(answer.UnprocessedKeys ?? {})
        .flatMap(each => each.Keys ?? [])
        .map(key => sameKeyText(schema, key)),
    )
    const next = new Map([...left].filter(([text]) => unread.has(text)))
    for (const text of left.keys())
      if (!next.has(text) && !found.has(text)) found.set(text, { ok: true, value: null })
    if (next.size === 0) return
    // Left out because the answer was full, or throttled: who gets on need not wait longer each time.
    if (next.size < left.size) tries = 1
    left = next
    const delayMs = delayAfter(tries)
    if (performance.now() - startedAt + delayMs > TRIES_MS) {
      for (const text of left.keys())
        found.set(text, { ok: false, error: throttledError(connection.table, connection.server) })
      return
    }
    await sleep(delayMs, signal)
    throwIfAborted(signal)
  }
}
