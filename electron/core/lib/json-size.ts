import { hash } from 'node:crypto'

/** One event, or one page of a longer answer, is about as large as this at most: the next one never waits long behind it. */
export const PAGE_BYTES = 256 * 1024

/** Of a text that is only shown; shorter where many of them are still too much. */
const LONGEST_TEXT = 1000
const SHORT_TEXT = 100
const LONGEST_KEY = 200
/** JSON may need six bytes for one. */
const PIECE_CHARS = 128 * 1024
/** More items take a screen noticeable time. */
const MOST_ITEMS = 2000
/** Of a record's own members, which a hostile record may have any number of. */
const MOST_MEMBERS = 100
/** What a screen sends back to act on a record. */
const WHOLE = new Set(['id', 'lockId'])

/** What JSON may write as an escape. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u

/** The bytes of a value as JSON, without writing it. Counts no further than beyond `most`. */
export function jsonBytes(value: unknown, most = Number.POSITIVE_INFINITY): number {
  switch (typeof value) {
    case 'string':
      return textBytes(value)
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      return value === null ? 4 : membersBytes(value, most)
    default:
      return 4
  }
}

function textBytes(text: string): number {
  if (text.length <= SHORT && isPlain(text)) return text.length + 2
  return ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2
}

/** Most texts of a record: quicker to look at than to call a library for. */
const SHORT = 64

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false
  }
  return true
}

function membersBytes(value: object, most: number): number {
  let bytes = 1
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && bytes <= most; i++) bytes += 1 + jsonBytes(value[i], most - bytes)
    return Math.max(2, bytes)
  }
  for (const name in value) {
    const each = value[name as keyof typeof value]
    if (each === undefined) continue
    bytes += textBytes(name) + 2 + jsonBytes(each, most - bytes)
    if (bytes > most) return bytes
  }
  return Math.max(2, bytes)
}

/** A record as it is; one that is too large with its long texts cut, except for the id that finds it. */
export function fitted<T>(value: T, bytes = PAGE_BYTES): T {
  if (jsonBytes(value, bytes) <= bytes) return value
  const shown = withShortTexts(value, LONGEST_TEXT, WHOLE)
  return (jsonBytes(shown, bytes) <= bytes ? shown : withShortTexts(value, SHORT_TEXT, WHOLE)) as T
}

/** The start of a text that is only shown. */
export function shortText(text: string, most = LONGEST_TEXT): string {
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The start of a long key, with a digest that tells it from other keys. */
export function shortKey(key: string, most = LONGEST_KEY): string {
  return key.length <= most ? key : `${shortText(key, most)}${hash('sha256', key, 'hex').slice(0, 12)}`
}

/** A text in pieces whose JSON is never too large. */
export function* textPieces(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const piece = text.slice(start, start + PIECE_CHARS)
    // Never cut in the middle of a character.
    const whole = start + PIECE_CHARS < text.length ? piece.replace(/[\ud800-\udbff]$/, '') : piece
    yield whole
    start += whole.length
  }
}

function withShortTexts(value: unknown, most: number, whole: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return shortText(value, most)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map(each => withShortTexts(each, most, NONE))
  const shown = Object.entries(value)
    .slice(0, MOST_MEMBERS)
    .map(([name, each]) => [shortText(name, most), whole.has(name) ? each : withShortTexts(each, most, NONE)])
  return Object.fromEntries(shown)
}

const NONE: ReadonlySet<string> = new Set()

/** The first items, as many as fit into `bytes`, but at least one. */
export function firstPage<T>(items: Iterable<T>, most = MOST_ITEMS, bytes = PAGE_BYTES): T[] {
  const page: T[] = []
  let left = bytes
  for (const item of items) {
    if (page.length >= most) break
    const size = jsonBytes(item, bytes)
    // A text by itself is an id.
    const shown = size <= bytes || typeof item === 'string' ? item : fitted(item, bytes)
    left -= (shown === item ? size : jsonBytes(shown)) + 1
    if (left < 0 && page.length > 0) break
    page.push(shown)
  }
  return page
}

/** The last items that fit, in their order. */
export function lastPage<T>(items: readonly T[], bytes = PAGE_BYTES): T[] {
  return firstPage(items.toReversed(), items.length, bytes).reverse()
}

/** All items, in pages. */
export function* pagesOf<T>(items: readonly T[]): Iterable<T[]> {
  for (let start = 0; start < items.length; ) {
    const page = firstPage(items.slice(start, start + MOST_ITEMS))
    start += page.length
    yield page
  }
}
