import { describe, expect, it } from 'vitest'
import { readPickle } from '../../../../../electron/core/stores/redis/format/pickle.ts'

/** What CPython 3.11's pickle.dumps(value, protocol) prints for each, in hex. */
const REAL: [string, unknown][] = [
  ['4930310a2e', true],
  ['8002882e', true],
  ['8003892e', false],
  ['8004882e', true],
  ['8005882e', true],
  ['80054b012e', 1],
  ['80059504000000000000004d39302e', 12345],
  ['80059506000000000000004affffffff2e', -1],
  ['80059508000000000000008a0500e40b54022e', 10_000_000_000],
  ['8005950c000000000000008a0900000000000000ff002e', 0xff00000000000000n],
  ['80059508000000000000008a05001cf4abfd2e', -10_000_000_000],
  ['8004950a000000000000008c066c6f636b2d31942e', 'lock-1'],
  ['80025804000000c3a9c3a971002e', 'éé'],
  ['566c6f636b0a70300a2e', 'lock'],
]

describe('a pickle of one constant', () => {
  it.each(REAL)('%s is read', (hex, value) => {
    expect(readPickle(Buffer.from(hex, 'hex'))).toBe(value)
  })
})

describe('anything else is refused, and never executed', () => {
  it.each([
    ['a call of os.system', 'cposix\nsystem\n(S"touch /tmp/pwned"\ntR.'],
    ['a STACK_GLOBAL', '\x80\x04\x8c\x05posix\x8c\x06system\x93.'],
    ['a list', '\x80\x05]\x94.'],
    ['a dict', '\x80\x05}\x94.'],
    ['None', '\x80\x05N.'],
    ['two values', '\x80\x05\x88\x88.'],
    ['bytes after the end', '\x80\x05\x88.\x88'],
    ['no end', '\x80\x05\x88'],
    ['nothing', ''],
    ['a string longer than the pickle', '\x80\x05\x58\xff\xff\xff\xff.'],
    ['a string of 2^63 bytes', '\x80\x05\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.'],
    ['an unknown protocol', '\x80\x09\x88.'],
    ['bad UTF-8', '\x80\x05\x8c\x01\xff.'],
    ['an integer with words in it', 'I1; import os\n.'],
  ])('%s', (_, text) => {
    expect(readPickle(Buffer.from(text, 'latin1'))).toBeUndefined()
  })
})
