import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { RawPart, RawPiece, RecordDetail } from '../../../shared/locks.ts'
import { clip, escapeForTerminal } from '../../../shared/safe-text.ts'
import { jsonBytes, shortText } from './json-size.ts'

const HEX = 'hex:'

/** A key as text to show, type and send back: UTF-8, or `hex:…` for other bytes, the empty key and keys that start with `hex:`. */
export function keyToText(key: Buffer): string {
  const text = isUtf8(key) ? key.toString('utf8') : null
  return text === null || text === '' || text.startsWith(HEX) ? HEX + key.toString('hex') : text
}

export function textToKey(text: string): Buffer {
  const hex = text.startsWith(HEX) ? text.slice(HEX.length) : null
  return hex !== null && /^(?:[0-9a-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : Buffer.from(text, 'utf8')
}

/** Bytes for people to read. Not reversible: never use it to address or to compare. */
export function bytesToDisplay(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : escapeBytes(bytes, /[^\x20-\x7e]/g)
}

/** Writes the bytes that match as `\x` and two hexadecimal digits. */
export function escapeBytes(bytes: Buffer, unsafe: RegExp): string {
  return bytes
    .toString('latin1')
    .replace(unsafe, char => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** One part of a record, byte by byte. */
export type RawBytes = { readonly label: string; readonly bytes: Buffer }

const RAW_LIMIT = 64 * 1024
/** Parts of one record that the inspector gets at once, and the least it gets of each. */
const MOST_PARTS = 500
const LEAST_RAW = 64
const MOST_RAW = 256 * 1024
const LONGEST_LABEL = 100

/** One part of a record for the inspector; long parts are cut, and `size` tells the whole. */
export function rawPart({ label, bytes }: RawBytes, limit = RAW_LIMIT): RawPart {
  const encoding = encodingOf(bytes)
  return {
    label: shortText(label, LONGEST_LABEL),
    encoding,
    text: sliceOf(bytes, encoding, 0, limit),
    size: bytes.length,
  }
}

/** The parts of a record, each cut to the same length if they are too much for one answer. */
export function rawParts(parts: readonly RawBytes[]): Pick<RecordDetail, 'raw' | 'rawLeft'> {
  const some = parts.slice(0, MOST_PARTS)
  const rawLeft = parts.length - some.length
  for (let limit = RAW_LIMIT; ; limit /= 2) {
    const raw = some.map(part => rawPart(part, limit))
    if (limit > LEAST_RAW && jsonBytes(raw) > MOST_RAW) continue
    return { raw: some.map((part, i) => withDigest(raw[i] as RawPart, part)), rawLeft }
  }
}

/** Tells a part from every other one: the order of parts changes, and members of a set share their label. */
export function digestOf({ label, bytes }: RawBytes): string {
  return createHash('sha256').update(JSON.stringify(label)).update(bytes).digest('hex').slice(0, 32)
}

function withDigest(shown: RawPart, whole: RawBytes): RawPart {
  const { encoding, text, size } = shown
  const isWhole = Buffer.byteLength(text, encoding === 'hex' ? 'hex' : 'utf8') >= size
  return isWhole ? shown : { ...shown, digest: digestOf(whole) }
}

/** A whole part in the pieces of its text. */
export function* rawPieces(bytes: Buffer): Iterable<RawPiece> {
  const encoding = encodingOf(bytes)
  for (let start = 0; start < bytes.length; ) {
    const text = sliceOf(bytes, encoding, start, RAW_PIECE)
    start += encoding === 'hex' ? text.length / 2 : Buffer.byteLength(text)
    yield { encoding, text }
  }
}

/** JSON may need six bytes for one. */
const RAW_PIECE = 128 * 1024

function encodingOf(bytes: Buffer): RawPart['encoding'] {
  return isUtf8(bytes) ? 'text' : 'hex'
}

function sliceOf(bytes: Buffer, encoding: RawPart['encoding'], start: number, length: number): string {
  if (encoding === 'hex') return bytes.toString('hex', start, start + length)
  return bytes.toString('utf8', start, characterStart(bytes, start + length))
}

/** The last place up to `limit` where a character of this UTF-8 begins: half of one would be shown as another. */
function characterStart(utf8: Buffer, limit: number): number {
  let at = limit
  while (((utf8[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}

/** A size as people say it. */
export function saySize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  // Rounded first: the last bytes below a megabyte are `1.0 MB`, not `1024.0 KB`.
  const kilobytes = (bytes / 1024).toFixed(1)
  return Number(kilobytes) < 1024 ? `${kilobytes} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** The start of a hostile text, for use inside one of our sentences: `limit` columns, and a mark where it was cut. */
export function excerpt(text: string, limit = 40): string {
  return clip(escapeForTerminal(text), limit + 1)
}
