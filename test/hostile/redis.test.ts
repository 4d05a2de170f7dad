import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRedisProvider } from '../../electron/core/locks/redis/provider.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { RedisAddress } from '../../electron/core/stores/redis/address.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { parseAddress } from '../../shared/address.ts'
import { releaseLock } from '../contract/ask.ts'
import { type Answer, type AnswerTo, resp, startScriptedRedis } from './scripted-redis.ts'
import { writeForever } from './scripted-server.ts'

const never = new AbortController().signal
const TIME = resp(['1700000000', '0'])

async function storeOf(answerTo: AnswerTo, greeting: string | null = null): Promise<LockStore> {
  const port = await startScriptedRedis(answerTo, greeting)
  const store = await openStore(`redis://127.0.0.1:${port}`, undefined)
  onTestFinished(() => store.close())
  return store
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    value => expect.fail(`it answered ${JSON.stringify(value)}`),
    (error: Error) => error,
  )
}

const SENT: readonly (readonly [what: string, answer: string, says: string])[] = [
  ['a null push message', '>-1\r\n', 'sent a push message that nobody subscribed to'],
  ['a push message', '>2\r\n+a\r\n+b\r\n', 'sent a push message that nobody subscribed to'],
  ['a second answer', `${TIME}$-1\r\n$-1\r\n`, 'sent an answer that nobody asked for'],
  ['a redirection to nowhere', '-MOVED nowhere\r\n', 'sent a redirection that leads nowhere'],
  ['a huge array', '*2147483647\r\n', 'sent more than 1000000 elements in one reply'],
  ['nested arrays', '*1\r\n'.repeat(1000), 'sent replies nested deeper than 8 levels'],
  ['a payload of 2 GB', '$2147483647\r\n', 'sent more than 64.0 MB in one reply'],
]

describe('a hostile Redis fails the command with one sentence, and nothing else', () => {
  it.each(SENT)('that sends %s', async (_, answer, says) => {
    const store = await storeOf(() => answer)
    // A second answer arrives with the first, which is not read either.
    expect(await failure(store.clock(never))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(new RegExp(`^Redis at 127\\.0\\.0\\.1:\\d+ ${says}`)),
      uncertain: false,
    })
    // The connection is replaced, and so is the answer.
    await failure(store.clock(never))
  })

  it.each(['>-1\r\n', '$-1\r\n', '+OK\r\n'])('that greets with %j', async greeting => {
    const store = await storeOf(() => TIME, greeting)
    const { message } = await failure(store.clock(never))
    expect(message).toMatch(/^Redis/)
  })

  it('that sends an endless line', async () => {
    const store = await storeOf((_, __, socket) => {
      socket.write('+')
      writeForever(socket, Buffer.alloc(64 * 1024, 'x'))
      return null
    })
    expect((await failure(store.clock(never))).message).toContain('sent a line without an end')
  })

  it('that sends endless arrays', async () => {
    const chunk = Buffer.from(`*1000\r\n${'*0\r\n'.repeat(1000)}`.repeat(20))
    const store = await storeOf((_, __, socket) => {
      writeForever(socket, chunk)
      return null
    })
    expect((await failure(store.clock(never))).message).toMatch(/^Redis at/)
  })
})

describe('a listing of a hostile Redis ends', () => {
  const scanning = (stepTo: (cursor: number) => unknown) =>
    storeOf((name, [cursor]) => {
      if (name === 'TIME') return TIME
      return name === 'SCAN' ? resp(stepTo(Number(cursor)) as []) : resp(['1700000000', '0', 1, 40])
    })
  const list = async (store: LockStore) => {
    const pages = []
    for await (const page of store.list({}, never)) pages.push(page)
    return pages
  }

  it.each([1, 2, 50])('whose cursors go round in circles of %i', async length => {
    const store = await scanning(cursor => [String((cursor % length) + 1), []])
    expect(await failure(list(store))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringMatching(/^Redis at redis:.* returned the same position in the list twice/),
    })
  })

  it('whose cursor is no number', async () => {
    const store = await scanning(() => ['there', []])
    expect((await failure(list(store))).message).toContain('cannot read (the names of keys)')
  })

  it('whose values have the shape of another type', async () => {
    const row = ['hash', -1, 1, 'no pairs']
    const store = await storeOf(name => {
      if (name === 'TIME') return TIME
      return name === 'SCAN' ? resp(['0', ['lock:a']]) : resp(['1700000000', '0', 1, 40, row])
    })
    expect((await failure(list(store))).message).toContain('cannot read (the value of a key)')
  })
})

describe('a release is never reported as done, or as not done, by an answer that says neither', () => {
  const token = '7fcd75c2e17311f1a98102fc00000001'
  /** The script that reads is the one with its limits as arguments. */
  const isRead = (words: readonly string[]) => words.at(-4) === '65536' || words.at(-4) === '16777216'
  const readReply = (words: readonly string[]) => {
    const keys = words.slice(2, 2 + Number(words[1]))
    return resp(['1700000000', '0', 1, 40, ...keys.map(() => ['string', -1, token.length, token])])
  }

  it.each<[string, (nonce: string) => Answer]>([
    ['another word', nonce => resp([nonce, 'done'])],
    ['nothing', nonce => resp([nonce, null])],
    ['a list', nonce => resp([nonce, [1, 2, 3]])],
    ['a list that only begins well', nonce => resp([nonce, ['released', 'x']])],
    ['the answer to another release', () => resp(['other', ['released', 0]])],
    ['a plain word', () => resp('gone')],
  ])('%s', async (_, answerTo) => {
    const store = await storeOf((name, words) => {
      if (name === 'TIME') return TIME
      return isRead(words) ? readReply(words) : answerTo(words.at(-1) ?? '')
    })
    const fence = (await store.inspect('lock:a', never))?.lock?.fence ?? ''
    await expect(releaseLock(store, 'lock:a', fence, never)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringMatching(
        /cannot read \(the answer to a (release|change)\).* may or may not have happened/,
      ),
      uncertain: true,
    })
  })

  it('one answer sent twice, with other releases in flight', async () => {
    const waiting: string[] = []
    const store = await storeOf((name, words, socket) => {
      if (name === 'TIME') return TIME
      if (isRead(words)) return readReply(words)
      waiting.push(resp([words.at(-1) ?? '', ['released', 0]]))
      const [first = '', second = ''] = waiting
      if (waiting.length === 3) socket.write(first + first + second)
      return null
    })
    const ids = ['lock:a', 'lock:b', 'lock:c']
    const targets = await Promise.all(
      ids.map(async id => ({ id, fence: (await store.inspect(id, never))?.lock?.fence ?? '' })),
    )
    const results = await store.releaseMany(targets, async () => {}, never)
    expect(results.map(each => each.ok || each.error.uncertain)).toEqual([true, true, true])
    expect(results.map(each => each.ok)).toEqual([true, false, false])
  })
})

describe('a hostile node of a cluster', () => {
  it('that has no slots, or tells of them in another shape', async () => {
    const range = [0, 100, ['127.0.0.1', 1, 'id']]
    const answers: [Answer, RegExp][] = [
      ['$-1\r\n', /cannot read/],
      [resp([['a', 'b', 'c']]), /cannot read/],
      [resp([[0, 2_000_000_000, ['127.0.0.1', 1]]]), /cannot read/],
      [resp([range, range]), /cannot read/],
      [resp([[0, 16_383, ...Array.from({ length: 1001 }, (_, i) => ['127.0.0.1', i, 'id'])]]), /cannot read/],
      ['>-1\r\n', /push message/],
    ]
    const stores = await Promise.all(
      answers.map(async ([answer]) => {
        const port = await startScriptedRedis(() => answer)
        return openStore(`redis+cluster://127.0.0.1:${port}`, undefined)
      }),
    )
    onTestFinished(async () => void (await Promise.all(stores.map(store => store.close()))))
    const failures = await Promise.all(stores.map(store => failure(store.clock(never))))
    for (const [i, { message }] of failures.entries()) expect(message).toMatch(answers[i]?.[1] as RegExp)
  })

  it('whose redirections lead nowhere', async () => {
    let port = 0
    const slots = () => resp([[0, 16_383, ['127.0.0.1', port, 'id']]])
    port = await startScriptedRedis(name => (name === 'CLUSTER' ? slots() : '-MOVED 1\r\n'))
    const store = await openStore(`redis+cluster://127.0.0.1:${port}`, undefined)
    onTestFinished(() => store.close())
    expect((await failure(store.inspect('lock:a', never))).message).toMatch(/^Redis/)
  })
})

it('a hostile Sentinel is reported', async () => {
  const port = await startScriptedRedis(() => '>-1\r\n')
  const store = await openStore(`redis+sentinel://127.0.0.1:${port}/mymaster/0`, undefined)
  onTestFinished(() => store.close())
  expect((await failure(store.clock(never))).message).toMatch(/Redis/)
})

describe('a program that only takes locks survives', () => {
  const providerOf = async (answerTo: AnswerTo) => {
    const port = await startScriptedRedis(answerTo)
    const address = parseAddress(`redis://127.0.0.1:${port}`) as RedisAddress
    const provider = createRedisProvider(address, { format: null, fencing: false })
    onTestFinished(() => provider.close())
    return provider
  }

  it.each(SENT)('a server that sends %s', async (_, answer, says) => {
    const provider = await providerOf(() => answer)
    const request = { owner: 'me', ttlMs: 1000, metadata: null }
    expect(await failure(provider.take('a', request, never))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining(says),
      // The lock may have been granted.
      uncertain: true,
    })
  })

  it.each(['$-1\r\n', '*-1\r\n', '+\r\n', '*1\r\n*1\r\n$1\r\na\r\n', '>-1\r\n'])(
    'a server that acknowledges a subscription with %j',
    async answer => {
      const provider = await providerOf(name => (name === 'SUBSCRIBE' ? answer : '+OK\r\n'))
      expect((await failure(provider.listen('a', () => {}, never))).message).toMatch(/^Redis at/)
    },
  )

  it('a server whose messages are broken after the subscription', async () => {
    const connections = new Set<Socket>()
    const provider = await providerOf((_, [channel = ''], socket) => {
      connections.add(socket)
      return resp(['subscribe', channel, 1])
    })
    const stop = await provider.listen('a', () => {}, never)
    for (const each of connections) each.write('*3\r\n$-1\r\n$-1\r\n$-1\r\n')
    await expect.poll(() => connections.size).toBeGreaterThan(1)
    stop()
  })
})
