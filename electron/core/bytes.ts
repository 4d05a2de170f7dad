import { isUtf8 } from 'node:buffer'
import type { RawPart } from '../../shared/lock.ts'
import { escapeForTerminal } from '../../shared/safe-text.ts'

const HEX = 'hex:'

/**
 * A key as text, so that any key can be shown, typed and sent back: UTF-8 as it is, everything else as `hex:…`. A key
 * that itself starts with `hex:` is written in hex too, which makes the two directions exact inverses.
 */
export function keyToText(key: Buffer): string {
  const text = isUtf8(key) ? key.toString('utf8') : null
  return text === null || text.startsWith(HEX) ? HEX + key.toString('hex') : text
}

export function textToKey(text: string): Buffer {
  const hex = text.startsWith(HEX) ? text.slice(HEX.length) : null
  return hex !== null && /^(?:[0-9a-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : Buffer.from(text, 'utf8')
}

/** Bytes for people to read. Not reversible: never use it to address or to compare. */
export function bytesToDisplay(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return Array.from(bytes, byte =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('')
}

const RAW_LIMIT = 64 * 1024

/** One part of a record for the inspector; long parts are cut, and `size` tells the whole. */
export function rawPart(label: string, bytes: Buffer): RawPart {
  const text = isUtf8(bytes)
  const start = bytes.subarray(0, RAW_LIMIT)
  return {
    label,
    encoding: text ? 'text' : 'hex',
    text: text ? new TextDecoder('utf-8').decode(start) : start.toString('hex'),
    size: bytes.length,
  }
}

/** A size as people say it. */
export function saySize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** The start of a hostile text, for use inside one of our sentences. */
export function excerpt(text: string, limit = 40): string {
  const escaped = escapeForTerminal(text)
  return escaped.length > limit ? `${escaped.slice(0, limit)}…` : escaped
}
