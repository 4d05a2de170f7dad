import { describe, expect, it } from 'vitest'
import { REPLY_LIMITS, ReplyScanner } from '../../../../electron/core/stores/redis/reply-scanner.ts'

const scan = (text: string, pending = 1, purpose: 'commands' | 'messages' = 'commands') =>
  new ReplyScanner(purpose).scan(Buffer.from(text), pending)

describe('replies of a RESP2 server', () => {
  const REPLIES = [
    '+OK\r\n',
    '-ERR no\r\n',
    ':-12\r\n',
    '$-1\r\n',
    '*-1\r\n',
    '$0\r\n\r\n',
    '*0\r\n',
    '$5\r\na\r\nb\n\r\n',
    '*3\r\n$1\r\na\r\n*2\r\n:1\r\n*1\r\n-ERR in here\r\n$-1\r\n',
    '-MOVED 3999 127.0.0.1:6381\r\n',
    '-ASK 3999 :6381\r\n',
  ]

  it('pass, however they are cut into chunks', () => {
    const all = Buffer.from(REPLIES.join(''))
    for (let size = 1; size <= all.length; size++) {
      const scanner = new ReplyScanner()
      for (let at = 0; at < all.length; at += size) scanner.scan(all.subarray(at, at + size), REPLIES.length)
    }
  })

  it('are counted against the commands that wait for them', () => {
    expect(() => scan('+OK\r\n+OK\r\n', 2)).not.toThrow()
    expect(() => scan('+OK\r\n+OK\r\n', 1)).toThrow('nobody asked for')
    // As a full server refuses a connection.
    expect(() => scan('-ERR max number of clients reached\r\n', 0)).not.toThrow()
  })
})

it.each([
  ['a push message', '>-1\r\n', 'sent a push message that nobody subscribed to'],
  ['another protocol', 'HTTP/1.1 400\r\n', 'does not speak the Redis protocol'],
  ['a type of RESP3', '*1\r\n_\r\n', 'does not speak the Redis protocol'],
  ['a length that is no number', '$1x\r\n', 'does not speak the Redis protocol'],
  ['a length without digits', '*\r\n', 'does not speak the Redis protocol'],
  ['another negative length', '$-2\r\n', 'does not speak the Redis protocol'],
  ['a line that ends with a bare return', '+a\rb\r\n', 'does not speak the Redis protocol'],
  ['a redirection to nowhere', '-MOVED 1\r\n', 'sent a redirection that leads nowhere'],
  ['a number of many digits', `:${'1'.repeat(40)}\r\n`, 'does not speak the Redis protocol'],
  ['an announced payload that is too large', '$2000000000\r\n', 'sent more than 64.0 MB in one reply'],
  ['an announced array that is too large', '*1000001\r\n', 'sent more than 1000000 elements'],
  [
    'arrays that are too large together',
    `*3\r\n${'*500000\r\n'.repeat(2)}`,
    'sent more than 1000000 elements',
  ],
  ['deep nesting', '*1\r\n'.repeat(9), 'nested deeper than 8 levels'],
  ['an endless line', `+${'x'.repeat(70_000)}`, 'sent a line without an end'],
])('%s ends the connection', (_, text, message) => {
  expect(() => scan(text, 1)).toThrow(message)
})

it('a reply that never ends is bounded in time', () => {
  const scanner = new ReplyScanner('commands', { ...REPLY_LIMITS, ms: -1 })
  scanner.scan(Buffer.from('$5\r\na'), 1)
  expect(() => scanner.scan(Buffer.from('b'), 1)).toThrow('for one reply')
})

describe('a connection for messages', () => {
  it('takes messages at any time, and acknowledgements of subscriptions', () => {
    const message = '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n'
    const subscribed = '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n'
    expect(() => scan(message + subscribed + message, 1, 'messages')).not.toThrow()
    expect(() => scan('+OK\r\n', 1, 'messages')).not.toThrow()
    const tracked = (names: string) => `*3\r\n$7\r\nmessage\r\n$1\r\na\r\n${names}`
    for (const names of ['*2\r\n$1\r\na\r\n$1\r\nb\r\n', '*-1\r\n', '$-1\r\n'])
      expect(() => scan(`:7\r\n${subscribed}${tracked(names)}`, 2, 'messages')).not.toThrow()
    expect(() => scan(subscribed, 0, 'messages')).toThrow('nobody asked for')
  })

  it.each([
    '$-1\r\n',
    '*-1\r\n',
    '*0\r\n',
    '+\r\n',
    '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n:1\r\n',
    '*1\r\n$7\r\nmessage\r\n',
    '*3\r\n$-1\r\n$1\r\na\r\n$1\r\nb\r\n',
    '*3\r\n$7\r\nmessage\r\n$-1\r\n$1\r\nb\r\n',
    '*3\r\n$9\r\nsubscribe\r\n$-1\r\n:1\r\n',
    '*3\r\n$7\r\nmessage\r\n*1\r\n:1\r\n$1\r\nb\r\n',
    '*4\r\n$8\r\npmessage\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n',
  ])('refuses %j, which ioredis could not take apart', text => {
    expect(() => scan(text, 5, 'messages')).toThrow('a message that Lockkeeper cannot read')
  })
})
