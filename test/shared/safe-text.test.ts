import { describe, expect, test } from 'vitest'
import { clip, column, escapeForTerminal, neutralise, safeJson, textWidth } from '../../shared/safe-text.ts'
import { Random } from '../random.ts'

/** Nothing that controls, reorders, hides or only looks like something else; the space is the only separator. */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u00a0\u2000-\u200a\u202f\u205f\u3000\u2800]/u

const HOSTILE = [
  '\u001b[31mred',
  'a\rb',
  'a\u0007',
  '\u009b31m',
  '\u007f',
  '\u00ad',
  '\u061c',
  '\u200b\u200d\u2060\ufeff',
  '\u202etxt.exe',
  '\u2066\u2069',
  '\u2028\u2029',
  '\ud800',
  'x\udc00y',
  '\ue000\u{f0000}\u{10ffff}',
  '\ufffe',
  '\u{e0041}',
  '\u3164\u115f\uffa0',
  '\ufe0f',
  '\u00a0\u2003\u3000',
  '\u2800',
  '\u0000',
]

/** Everything from the safe middle of the alphabet to what only an attacker writes. */
function anyText(random: Random, length = 12): string {
  const point = () => {
    const code = random.pick([
      random.below(0x80),
      random.below(0x3000),
      random.below(0x110000),
      0x5c,
      0x6e,
      0x78,
    ])
    return String.fromCodePoint(code)
  }
  return Array.from({ length: random.below(length) }, point).join('')
}

/** Reads an escaped text back, as a person would with the legend in hand. */
function readBack(text: string): string {
  return text.replace(/\\(?:([\\nrt])|x([0-9a-f]{2})|u\{([0-9a-f]+)\})/g, (_, named, hex, point) => {
    if (named !== undefined) return { '\\': '\\', n: '\n', r: '\r', t: '\t' }[named as string] ?? ''
    return String.fromCodePoint(Number.parseInt(hex ?? point, 16))
  })
}

describe('escaping for the terminal', () => {
  test.each([
    ['orders:42', 'orders:42'],
    ['ключ 漢字 é 😀', 'ключ 漢字 é 😀'],
    ['\u001b[31m', '\\x1b[31m'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u202e', '\\u{202e}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\\x1b', '\\\\x1b'],
    ['\\\u001b', '\\\\\\x1b'],
    ['\\u{202e}', '\\\\u{202e}'],
    ['job:App\\Jobs\\Sync', 'job:App\\Jobs\\Sync'],
    ['{"a":"\\u001b"}', '{"a":"\\u001b"}'],
  ])('writes %j as %s', (text, escaped) => {
    expect(escapeForTerminal(text)).toBe(escaped)
  })

  test.each(HOSTILE)('escapes everything in %j that a terminal acts on or hides', text => {
    expect(escapeForTerminal(`a${text}b`)).not.toMatch(UNSAFE)
    expect(neutralise(`a${text}b`)).not.toMatch(UNSAFE)
    expect(safeJson({ [text]: text })).not.toMatch(UNSAFE)
  })

  test('is reversible: no two texts are escaped alike', () => {
    const random = new Random(4)
    for (let i = 0; i < 5000; i++) {
      const text = anyText(random)
      const escaped = escapeForTerminal(text)
      expect(escaped).not.toMatch(UNSAFE)
      expect(readBack(escaped)).toBe(text)
    }
  })

  test('neutralising escaped text changes nothing', () => {
    const random = new Random(5)
    for (let i = 0; i < 2000; i++) {
      const escaped = escapeForTerminal(anyText(random))
      expect(neutralise(escaped)).toBe(escaped)
    }
  })

  test('does not let stacked marks paint over other rows', () => {
    expect(escapeForTerminal('e\u0301\u0302')).toBe('e\u0301\u0302')
    expect(escapeForTerminal(`e${'\u0301'.repeat(50)}`)).not.toMatch(/\p{M}{5}/u)
  })
})

test.each([undefined, 2])('safe JSON means the same as JSON and prints harmlessly (indent %s)', indent => {
  const random = new Random(6)
  for (let i = 0; i < 3000; i++) {
    const value = { [anyText(random)]: [anyText(random), null, 1.5, true], hostile: random.pick(HOSTILE) }
    const json = safeJson(value, indent)
    expect(JSON.parse(json)).toEqual(value)
    expect(json.replaceAll('\n', '')).not.toMatch(UNSAFE)
    if (indent === undefined) expect(json).not.toContain('\n')
  }
})

test('safe JSON of a value without a JSON form is null', () => {
  expect(safeJson(undefined)).toBe('null')
  expect(safeJson(() => 1)).toBe('null')
})

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['漢字', 4],
    ['カタカナ', 8],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['\u2329\u232a', 4],
    ['\u{17000}\u{1b000}\u{1f200}\u{20000}', 8],
    ['😀', 2],
    ['e\u0301', 1],
    ['का', 2],
    ['…', 1],
    ['', 0],
  ])('%s takes %d', (text, width) => {
    expect(textWidth(text)).toBe(width)
  })

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['漢字漢字', 5, '漢字…'],
    ['漢字漢字', 4, '漢…'],
    ['😀😀', 2, '…'],
    ['👩‍👩‍👧', 3, '👩…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -1, ''],
  ])('%s clipped to %d is %s', (text, limit, clipped) => {
    expect(clip(text, limit)).toBe(clipped)
  })

  test('are never exceeded by a clipped text, and always filled by a column', () => {
    const random = new Random(7)
    const alphabet = ['a', 'é', '漢', '😀', '\u0301', '\u200d', '👩', '🇩', 'का', '\u{1b000}', ' ']
    for (let i = 0; i < 5000; i++) {
      const text = random.text(alphabet, 12)
      const width = random.below(14)
      expect(textWidth(clip(text, width))).toBeLessThanOrEqual(width)
      expect(clip(text, width)).not.toMatch(/\p{Cs}/u)
      for (const align of ['left', 'right'] as const)
        expect(textWidth(column(text, width, align))).toBe(width)
    }
  })
})
