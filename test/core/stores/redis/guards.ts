import type { Guard } from '../../../../electron/core/stores/redis/format/program.ts'

const key = Buffer.from('{lock}')
const other = Buffer.from('{lock}:other')
const b = (text: string) => Buffer.from(text)

/** Each guard with what makes it hold, and what makes it fail. */
export const GUARDS: [string, Guard, string[][], string[]][] = [
  [
    'value',
    { check: 'reply', key, ask: ['GET'], equals: b('v') },
    [['SET', '{lock}', 'v']],
    ['SET', '{lock}', 'w'],
  ],
  [
    'the number of fields',
    { check: 'reply', key, ask: ['HLEN'], equals: 2 },
    [['HSET', '{lock}', 'b', '2', 'a', '1']],
    ['HSET', '{lock}', 'c', '3'],
  ],
  [
    'a field',
    { check: 'reply', key, ask: ['HGET', b('a')], equals: b('1') },
    [['HSET', '{lock}', 'a', '1']],
    ['HSET', '{lock}', 'a', '2'],
  ],
  [
    'head',
    { check: 'reply', key: other, ask: ['LINDEX', 0], equals: b('first') },
    [
      ['SET', '{lock}', 'v'],
      ['RPUSH', '{lock}:other', 'first', 'second'],
    ],
    ['LPUSH', '{lock}:other', 'new'],
  ],
  [
    'no head',
    { check: 'reply', key: other, ask: ['LINDEX', 0], equals: null },
    [['SET', '{lock}', 'v']],
    ['LPUSH', '{lock}:other', 'new'],
  ],
  [
    'an end that has not moved',
    { check: 'ends', key, endsAt: 4_102_444_800_000 },
    [['SET', '{lock}', 'v', 'PXAT', '4102444800000']],
    ['PEXPIREAT', '{lock}', '4102444900000'],
  ],
  [
    'an end that came',
    { check: 'ends', key, endsAt: null },
    [['SET', '{lock}', 'v']],
    ['PEXPIRE', '{lock}', '5000'],
  ],
  [
    'an end that went',
    { check: 'ends', key, endsAt: 4_102_444_800_000 },
    [['SET', '{lock}', 'v', 'PXAT', '4102444800000']],
    ['PERSIST', '{lock}'],
  ],
]
