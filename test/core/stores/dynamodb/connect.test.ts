import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { StoreError, toFailure } from '../../../../electron/core/lib/errors.ts'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import {
  type DynamoProxy,
  errorAnswer,
  type Fate,
  startDynamoProxy,
  throttled,
} from '../../../servers/dynamodb-proxy.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { freePort } from '../../../servers/process.ts'

const never = new AbortController().signal
const KEY = { lock_key: { S: 'orders' } }
const ITEM = {
  ...KEY,
  owner_id: { S: 'run-1' },
  acquired_at: { N: String(Math.floor(Date.now() / 1000)) },
  expires_at: { N: String(Math.floor(Date.now() / 1000) + 600) },
}
const SECRET = 'sEcReT/key+that/nobody/may/see'

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work
  } catch (error) {
    if (error instanceof StoreError) return toFailure(error)
    throw error
  }
  throw new Error('It did not fail')
}

let table: TestTable
let proxy: DynamoProxy
let store: DynamoStore
let decide: (operation: string) => Fate
let sent: string[]

beforeEach(async () => {
  table = await TestTable.create(inject('dynamodbEndpoint'))
  await table.put(ITEM)
  sent = []
  decide = () => 'pass'
  proxy = await startDynamoProxy(table.endpoint, operation => {
    sent.push(operation)
    return decide(operation)
  })
  store = open()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await store.close()
  await proxy.close()
  await table.drop()
})

function open(more: Partial<DynamoAddress> = {}): DynamoStore {
  return new DynamoStore(
    table.address({ endpoint: proxy.endpoint, username: 'AKIATEST', password: SECRET, ...more }),
  )
}

async function seen(): Promise<Lock> {
  const lock = (await store.inspect('orders', never))?.lock
  if (!lock) throw new Error('no lock')
  return lock
}

/** The first few requests for an operation meet their fate; later ones pass. */
function first(count: number, operation: string, fate: Fate): (asked: string) => Fate {
  let left = count
  return asked => (asked === operation && left-- > 0 ? fate : 'pass')
}

describe('reading from a failing table', () => {
  it('recovers when a scan is throttled for a while', async () => {
    decide = first(3, 'Scan', throttled)
    expect((await listAll(store)).locks).toHaveLength(1)
    expect(sent.filter(operation => operation === 'Scan')).toHaveLength(4)
  })

  it('gives up on a table that stays throttled, with that as the reason', async () => {
    decide = first(Infinity, 'Scan', throttled)
    const failure = await failureOf(listAll(store))
    expect(failure).toMatchObject({ code: 'STORE_ERROR', message: expect.stringContaining('throttles') })
  })

  it('retries after an internal error, a lost answer or a truncated one', async () => {
    const internal = errorAnswer('com.amazonaws.dynamodb.v20120810#InternalServerError', 'oops', 500)
    for (const fate of [internal, 'lose-answer', 'cut-answer'] as const) {
      decide = first(1, 'GetItem', fate)
      expect((await seen()).owner).toBe('run-1')
    }
  })

  it('names a persistent error', async () => {
    const evil = 'oops\n\u001b[31m'
    decide = first(
      Infinity,
      'Scan',
      errorAnswer('com.amazonaws.dynamodb.v20120810#InternalServerError', evil, 500),
    )
    expect(await failureOf(listAll(store))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringMatching(/HTTP 500: "oops\\n\\x1b\[31m"$/),
    })
  })

  it('reports an answer that is not from DynamoDB', async () => {
    decide = first(Infinity, 'DescribeTable', { status: 200, body: '<html>Log in</html>' })
    expect(await failureOf(listAll(store))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('does not answer like DynamoDB'),
    })
  })
})

describe('releasing in a failing table', () => {
  it('sends a throttled delete again, since nothing was done', async () => {
    const { id, fence } = await seen()
    decide = first(2, 'DeleteItem', throttled)
    expect(await releaseLock(store, id, fence, never)).toEqual({ outcome: 'released', notified: null })
    expect(await table.get(KEY)).toBeNull()
  })

  it.each(['lose-answer', 'cut-answer', 'no-answer'] as const)(
    'never sends a delete twice after %s, and says that it may have happened',
    async fate => {
      const { id, fence } = await seen()
      decide = first(1, 'DeleteItem', fate)
      const failure = await failureOf(releaseLock(store, id, fence, never))
      expect(failure.code).toBe('STORE_UNREACHABLE')
      expect(failure.message).toMatch(/the release may or may not have happened: list again$/)
      expect(sent.filter(operation => operation === 'DeleteItem')).toHaveLength(1)
      expect((await table.get(KEY)) === null).toBe(fate !== 'no-answer')
    },
  )

  it('treats an internal error as an uncertain release', async () => {
    const { id, fence } = await seen()
    decide = first(1, 'DeleteItem', errorAnswer('com.amazon.coral.service#InternalFailure', 'oops', 500))
    expect(await failureOf(releaseLock(store, id, fence, never))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('may or may not have happened'),
      uncertain: true,
    })
    expect(sent.filter(operation => operation === 'DeleteItem')).toHaveLength(1)
  })

  it('reports no uncertainty when DynamoDB refused', async () => {
    const { id, fence } = await seen()
    decide = first(1, 'DeleteItem', errorAnswer('com.amazon.coral.validate#ValidationException', 'no'))
    const { message } = await failureOf(releaseLock(store, id, fence, never))
    expect(message).not.toContain('may or may not')
  })

  it('awaits the answer to a delete that was sent before the abort', async () => {
    const { id, fence } = await seen()
    const abort = new AbortController()
    decide = operation => {
      if (operation === 'DeleteItem') abort.abort()
      return 'pass'
    }
    expect(await releaseLock(store, id, fence, abort.signal)).toEqual({ outcome: 'released', notified: null })
  })

  it('stops between two tries of a throttled delete', async () => {
    const { id, fence } = await seen()
    const abort = new AbortController()
    decide = operation => {
      if (operation !== 'DeleteItem') return 'pass'
      abort.abort()
      return throttled
    }
    expect((await failureOf(releaseLock(store, id, fence, abort.signal))).code).toBe('ABORTED')
    expect(await table.get(KEY)).not.toBeNull()
  })
})

describe('an unavailable endpoint', () => {
  it('is unreachable when it refuses connections', async () => {
    const dead = open({ endpoint: `http://127.0.0.1:${await freePort()}` })
    const failure = await failureOf(dead.clock(never))
    expect(failure).toMatchObject({ code: 'STORE_UNREACHABLE', message: expect.stringContaining('refuses') })
    await dead.close()
  })

  it('is unreachable when it accepts connections and never answers', async () => {
    const silent = await silentServer()
    const hung = open({ endpoint: silent.endpoint })
    const failure = await failureOf(hung.describe(never))
    expect(failure).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('does not answer'),
    })
    await hung.close()
    silent.close()
  })

  it('can be aborted while it is silent', async () => {
    const silent = await silentServer()
    const hung = open({ endpoint: silent.endpoint })
    const abort = new AbortController()
    const ended: string[] = []
    const reads = [never, abort.signal].map(async signal => {
      ended.push((await failureOf(hung.inspect('orders', signal))).code)
    })
    setTimeout(() => abort.abort(), 50)
    await Promise.all(reads)
    // The aborted read began last and ended first.
    expect(ended).toEqual(['ABORTED', 'STORE_UNREACHABLE'])
    await hung.close()
    silent.close()
  })
})

describe('permissions', () => {
  it.each([
    ['com.amazon.coral.service#AccessDeniedException', 'dynamodb:DescribeTable'],
    ['com.amazon.coral.service#UnrecognizedClientException', 'does not know this access key'],
    ['com.amazon.coral.service#InvalidSignatureException', 'refused the signature'],
    ['com.amazon.coral.service#ExpiredTokenException', 'session has expired'],
  ])('%s is a denial in words of our own', async (type, words) => {
    decide = () => errorAnswer(type, `the server's words, ${SECRET}`)
    const failure = await failureOf(store.describe(never))
    expect(failure).toMatchObject({ code: 'STORE_DENIED', message: expect.stringContaining(words) })
    expect(failure.message).not.toContain(SECRET)
  })

  it('a wrong clock on this computer is corrected from the refusal', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    const skewed = errorAnswer(
      'com.amazon.coral.service#InvalidSignatureException',
      'Signature not yet current',
    )
    decide = first(1, 'Scan', { ...skewed, headers: { date } })
    expect((await listAll(store)).locks).toHaveLength(1)
  })

  it('no credentials anywhere is a denial, without a wait for a metadata service that hangs', async () => {
    const silent = await silentServer()
    for (const [name, value] of Object.entries({
      AWS_ACCESS_KEY_ID: '',
      AWS_PROFILE: '',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_EC2_METADATA_DISABLED: 'false',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: silent.endpoint,
    }))
      vi.stubEnv(name, value)
    const lost = open({ endpoint: 'http://dynamodb.example.invalid', username: null, password: null })
    const failure = await failureOf(lost.describe(never))
    expect(failure).toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining('No AWS credentials'),
    })
    await lost.close()
    silent.close()
  })

  it('the secret key is in no error, description or detail', async () => {
    const texts: string[] = [store.address, JSON.stringify(await store.describe(never))]
    texts.push(JSON.stringify(await store.inspect('orders', never)))
    const unknown = errorAnswer('com.amazon.coral.validate#ValidationException', 'a message')
    for (const fate of [throttled, unknown, 'lose-answer', { status: 200, body: 'x' }] as Fate[]) {
      decide = () => fate
      texts.push((await failureOf(store.clock(never))).message)
    }
    for (const text of texts) expect(text).not.toContain(SECRET)
  })
})

describe('the connection', () => {
  it('uses the server’s clock', async () => {
    decide = () => ({ shiftClockMs: 3_600_000 })
    const { offsetMs } = await store.clock(never)
    expect(Math.abs((offsetMs ?? 0) - 3_600_000)).toBeLessThan(1500)
    expect((await seen()).state).toBe('expired')
  })

  it('counts the capacity it uses', async () => {
    await listAll(store)
    expect(store.spent().units).toBeGreaterThan(0)
  })

  it('leaves no connection behind when it is closed', async () => {
    await Promise.all([listAll(store), store.inspect('orders', never), store.describe(never)])
    expect(await proxy.connections()).toBeGreaterThan(0)
    await store.close()
    await expect.poll(proxy.connections).toBe(0)
  })
})

async function silentServer(): Promise<{ endpoint: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
