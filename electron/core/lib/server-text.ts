import { clip, escapeForTerminal } from '../../../shared/safe-text.ts'

/** A server may send any amount of text; the rest is neither read nor shown. */
const MOST_READ = 2000
const MOST_COLUMNS = 200
/** Instead of a server's words. The same for a password too short to find, so that it tells nothing about the password. */
export const WITHHELD = '(text withheld: it may repeat a secret)'

/** A shorter secret may be in any text by chance, and what is shown and what is not would reveal it. */
export const SHORTEST_FOUND = 8
/** Servers truncate what they repeat. A third of a secret counts as the secret, within these limits. */
const SHORTEST_PART = 4
const LONGEST_PART = 8

/**
 * The words of a server for one of our sentences: one escaped, clipped line in quotes. Some servers and proxies repeat what they were
 * sent. A text that may contain a part of the secrets, which are what was sent in confidence, is withheld as a whole: letters that
 * are missing from a known sentence would tell which they were.
 */
export function quoteServerText(text: string, secrets: readonly string[]): string {
  const start = text.trim().slice(0, MOST_READ)
  return mayRepeat(start, secrets) ? WITHHELD : `"${clip(escapeForTerminal(start), MOST_COLUMNS)}"`
}

function mayRepeat(text: string, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false
  const once = unescaped(text)
  const readings = [text, once, unescaped(once), ...numbersIn(text)].map(plain).join('\n')
  return secrets.some(secret => {
    const { length } = plain(secret)
    if (length < SHORTEST_FOUND) return true
    const part = Math.min(Math.max(Math.ceil(length / 3), SHORTEST_PART), LONGEST_PART)
    return formsOf(secret).some(([form, growth]) => sharesPart(readings, form, Math.ceil(part * growth)))
  })
}

/** A secret in the encodings that servers repeat it in, and how much longer it is there. Escapes are read in the text instead. */
function formsOf(secret: string): readonly (readonly [form: string, growth: number])[] {
  const bytes = Buffer.from(secret)
  const low = Buffer.from(secret, 'utf16le')
  const high = Buffer.from(low).swap16()
  const inBase64 = (of: Buffer) =>
    [0, 1, 2].map(before => plain(Buffer.concat([Buffer.alloc(before), of]).toString('base64')))
  return [
    [plain(secret), 1],
    [[...plain(secret)].reverse().join(''), 1],
    // UTF-8 that was read as something else.
    [plain(bytes.toString('latin1')), 1],
    [bytes.toString('hex'), 2],
    ...inBase64(bytes).map(form => [form, 4 / 3] as const),
    ...[low, high].flatMap(of => [
      [plain(of.toString('latin1')), 1] as const,
      [of.toString('hex'), 4] as const,
      ...inBase64(of).map(form => [form, 8 / 3] as const),
    ]),
  ]
}

/** Without what quoting, wrapping and folding may change. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

const ESCAPES =
  /(?<bytes>(?:(?:[%=]|\\x)[0-9a-f]{2})+)|(?<octal>(?:\\[0-7]{3})+)|[\\%]u\{?(?<unit>[0-9a-f]{2,6})\}?|&#x(?<hex>[0-9a-f]{1,6});?|&#(?<decimal>\d{1,7});?|&(?:quot|apos|amp|lt|gt);?|\\[bfnrtv0]/gi

/** Undoes the escapes of URLs, JSON, HTML and programming languages. */
function unescaped(text: string): string {
  return text.replace(ESCAPES, (_, ...found) => {
    const { bytes, octal, unit, hex, decimal } = found.at(-1) as Partial<Record<string, string>>
    if (bytes !== undefined) return Buffer.from(bytes.replace(/[%=]|\\x/gi, ''), 'hex').toString()
    if (octal !== undefined)
      return Buffer.from(octal.split('\\').map(each => Number.parseInt(each || '0', 8))).toString()
    const code = Number.parseInt(unit ?? hex ?? decimal ?? '20', decimal === undefined ? 16 : 10)
    return code > 0x10ffff ? '' : String.fromCodePoint(code)
  })
}

const NUMBER_LISTS = /(?:0x[0-9a-f]+|\d+)(?:[^\p{L}\p{N}]+(?:0x[0-9a-f]+|\d+))+/giu

/** What lists of numbers say, such as `[83,51,99]` or `0x53, 0x33`: read as bytes of UTF-8, of UTF-16 and as letters. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(NUMBER_LISTS)].flatMap(([list]) => {
    const numbers = list.match(/0x[0-9a-f]+|\d+/gi)?.map(Number) ?? []
    const bytes = Buffer.from(numbers.filter(each => each < 256))
    const letters = numbers.filter(each => each <= 0x10ffff).map(each => String.fromCodePoint(each))
    const pairs = bytes.subarray(0, bytes.length & ~1)
    const high = Buffer.from(pairs).swap16()
    return [bytes.toString(), letters.join(''), pairs.toString('utf16le'), high.toString('utf16le')]
  })
}

function sharesPart(text: string, form: string, length: number): boolean {
  const parts = new Set<string>()
  for (let i = 0; i + length <= text.length; i++) parts.add(text.slice(i, i + length))
  for (let i = 0; i + length <= form.length; i++) if (parts.has(form.slice(i, i + length))) return true
  return false
}
