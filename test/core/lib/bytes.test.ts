import { describe, expect, test } from 'vitest'
import {
  bytesToDisplay,
  excerpt,
  keyToText,
  rawPart,
  saySize,
  textToKey,
} from '../../../electron/core/lib/bytes.ts'
import { Random } from '../../random.ts'

const LIMIT = 64 * 1024

describe('a key as text', () => {
  test.each<[string, Buffer, string]>([
    ['an ordinary key', Buffer.from('lock:orders'), 'lock:orders'],
    ['the empty key, which nobody could type', Buffer.alloc(0), 'hex:'],
    ['UTF-8', Buffer.from('ключ 漢字 😀'), 'ключ 漢字 😀'],
    ['a byte order mark', Buffer.from('\ufeffa'), '\ufeffa'],
    ['a control character', Buffer.from('\u001b[31m\0'), '\u001b[31m\0'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0x00, 0x41]), 'hex:ff0041'],
    ['half a character', Buffer.from([0xe6, 0xbc]), 'hex:e6bc'],
    ['a key named like hex', Buffer.from('hex:41'), 'hex:6865783a3431'],
    ['a key named hex: alone', Buffer.from('hex:'), 'hex:6865783a'],
    ['a key named hex: without hex', Buffer.from('hex:zz'), 'hex:6865783a7a7a'],
    ['a key named hex: of odd length', Buffer.from('hex:abc'), 'hex:6865783a616263'],
  ])('%s converts to text and back', (_, key, text) => {
    expect(keyToText(key)).toBe(text)
    expect(textToKey(text)).toEqual(key)
  })

  test.each([
    ['hex:zz', Buffer.from('hex:zz')],
    ['hex:abc', Buffer.from('hex:abc')],
    ['hex:FF', Buffer.from([0xff])],
    ['hex:', Buffer.alloc(0)],
    ['HEX:ff', Buffer.from('HEX:ff')],
    ['hex:ff\n', Buffer.from('hex:ff\n')],
  ])('%j typed by an operator addresses the intended key', (text, key) => {
    expect(textToKey(text)).toEqual(key)
  })

  test('every key has one text, and every text of a key leads back to it', () => {
    const random = new Random(10)
    const texts = new Map<string, string>()
    for (let i = 0; i < 5000; i++) {
      const prefix = random.pick(['', 'hex:', 'lock:', 'hex', 'hex:hex:'])
      const body = random.below(2) === 0 ? random.bytes(6) : Buffer.from(random.text('abcf019z:é漢', 6))
      const key = Buffer.concat([Buffer.from(prefix), body])
      const text = keyToText(key)
      expect(textToKey(text).equals(key), text).toBe(true)
      expect(texts.get(text) ?? key.toString('hex')).toBe(key.toString('hex'))
      texts.set(text, key.toString('hex'))
    }
  })
})

describe('a raw part', () => {
  test.each(['é', '漢', '😀'])('is cut at 64 KiB without cutting %s in two', char => {
    for (let shift = 0; shift < 4; shift++) {
      const bytes = Buffer.from('a'.repeat(shift) + char.repeat(LIMIT / 2))
      const part = rawPart({ label: 'value', bytes })
      const shown = Buffer.from(part.text)
      expect(part).toMatchObject({ label: 'value', encoding: 'text', size: bytes.length })
      expect(part.text).not.toContain('\ufffd')
      expect(bytes.subarray(0, shown.length).equals(shown)).toBe(true)
      expect(shown.length).toBeGreaterThan(LIMIT - 4)
      expect(shown.length).toBeLessThanOrEqual(LIMIT)
    }
  })

  test.each([
    ['', 'text', ''],
    ['61efbfbd62', 'text', 'a\ufffdb'],
    ['efbbbf61', 'text', '\ufeffa'],
    ['ff00', 'hex', 'ff00'],
  ])('of %s is shown as %s', (hex, encoding, text) => {
    const bytes = Buffer.from(hex, 'hex')
    expect(rawPart({ label: 'x', bytes })).toEqual({ label: 'x', encoding, text, size: bytes.length })
  })

  test('that is not UTF-8 is cut at 64 KiB and states its full size', () => {
    const part = rawPart({ label: 'value', bytes: Buffer.alloc(LIMIT + 10, 0xff) })
    expect(part).toMatchObject({ encoding: 'hex', size: LIMIT + 10 })
    expect(part.text).toBe('ff'.repeat(LIMIT))
  })

  test('of exactly 64 KiB is whole', () => {
    expect(rawPart({ label: 'value', bytes: Buffer.alloc(LIMIT, 0x61) }).text).toHaveLength(LIMIT)
  })
})

test('bytes are displayed as text where possible', () => {
  expect(bytesToDisplay(Buffer.from('é'))).toBe('é')
  expect(bytesToDisplay(Buffer.from([0x61, 0xff, 0x0a]))).toBe('a\\xff\\x0a')
})

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1.0 KB'],
  [1536, '1.5 KB'],
  [1024 * 1024 - 1, '1.0 MB'],
  [1024 * 1024, '1.0 MB'],
  [512 * 1024 * 1024, '512.0 MB'],
])('%d bytes are displayed as %s', (bytes, said) => {
  expect(saySize(bytes)).toBe(said)
})

test.each([
  ['short', 10, 'short'],
  ['0123456789', 10, '0123456789'],
  ['0123456789ab', 10, '0123456789…'],
  ['\u001b[31m', 10, '\\x1b[31m'],
  ['a😀😀😀😀', 4, 'a😀…'],
  ['漢字漢字', 3, '漢…'],
])('the excerpt of %j in %d columns is %j', (text, limit, shown) => {
  expect(excerpt(text, limit)).toBe(shown)
  expect(excerpt(text, limit)).not.toMatch(/\p{Cs}/u)
})
