import { isUtf8 } from 'node:buffer'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { keyToText, textToKey } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { isCounterName } from '../../stores/redis/fencing-counter.ts'
import type { RedisFormat } from '../../stores/redis/format/format.ts'
import { flaskCache } from '../../stores/redis/formats/flask-cache.ts'
import { pipelineRun } from '../../stores/redis/formats/pipeline-run.ts'
import { pubsubToken } from '../../stores/redis/formats/pubsub-token.ts'
import { rechargeJson } from '../../stores/redis/formats/recharge-json.ts'
import { token } from '../../stores/redis/formats/token.ts'
import { isText } from '../input.ts'

/** How the locks of one format are written. The console's formats read them. */
export type Writer = {
  readonly format: RedisFormat
  readonly defaultTtlMs: number
  readonly pollMs: number
  /** The whole value; null for a JSON object with times, a mark and metadata. */
  readonly encode: ((owner: string) => Buffer) | null
  /** Whether a release is announced under the name of the lock, and not under its key. */
  readonly announcesName: boolean
}

const PLAIN = {
  defaultTtlMs: HOUR_MS,
  // Other programs of these formats announce no releases, so waiters poll more often.
  pollMs: 1000,
  encode: (owner: string) => Buffer.from(owner),
  announcesName: false,
}

/** The first is the default. */
const WRITERS: readonly Writer[] = [
  { ...PLAIN, format: rechargeJson, encode: null },
  { ...PLAIN, format: pubsubToken, defaultTtlMs: MINUTE_MS / 2, pollMs: 5000, announcesName: true },
  { ...PLAIN, format: pipelineRun },
  { ...PLAIN, format: flaskCache, defaultTtlMs: DAY_MS, encode: cachelibText },
  { ...PLAIN, format: token, defaultTtlMs: MINUTE_MS / 2 },
]

const PROTO = 0x80
const FRAME = 0x95
const SHORT_TEXT = 0x8c
const TEXT = 0x58
const MEMOIZE = 0x94
const STOP = 0x2e

/** "!" and the pickle of a string as cachelib writes it: the highest protocol of today's Pythons, which is 5. */
function cachelibText(text: string): Buffer {
  const utf8 = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(utf8.length)
  const header = utf8.length < 256 ? Buffer.from([SHORT_TEXT, utf8.length]) : Buffer.from([TEXT, ...length])
  const frame = Buffer.concat([header, utf8, Buffer.from([MEMOIZE, STOP])])
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(frame.length))
  return Buffer.concat([Buffer.from('!'), Buffer.from([PROTO, 5, FRAME]), size, frame])
}

export function writerOf(format: string | null): Writer {
  const found = WRITERS.find(each => format === null || each.format.info.id === format)
  if (found) return found
  const known = WRITERS.map(each => each.format.info.id).join(', ')
  throw new StoreError(
    'BAD_INPUT',
    `Lockkeeper cannot take locks of this format in Redis; supported: ${known}`,
  )
}

/** The key of a lock, and how its release is announced. */
export type LockKey = { readonly key: Buffer; readonly channel: string; readonly message: string }

export function lockKeyOf(writer: Writer, name: string): LockKey {
  const { prefix, isName, isWhole } = keysOf(writer)
  if (!isText(name) || !isName(name) || isCounterName(prefix + name)) {
    const { id } = writer.format.info
    const shape = id === 'pipeline-run' ? ', which is a tenant, a colon and a pipeline' : ''
    throw new StoreError('BAD_INPUT', `This cannot be the name of a lock in the format ${id}${shape}`)
  }
  const key = isWhole(name) ? name : prefix + name
  const message = writer.announcesName ? name : key
  return { key: Buffer.from(key), channel: `lock:released:${message}`, message }
}

/** The name of the lock under a key as the console shows it; null for a key of another format. */
export function nameOfKey(writer: Writer, keyText: string): string | null {
  const { prefix, isName, isWhole } = keysOf(writer)
  const bytes = textToKey(keyText)
  if (!isUtf8(bytes) || isCounterName(keyText)) return null
  const key = bytes.toString()
  if (isWhole(key)) return key
  const name = key.slice(prefix.length)
  return key.startsWith(prefix) && isName(name) && !isWhole(name) ? name : null
}

export function keyTextOf(writer: Writer, name: string): string {
  return keyToText(lockKeyOf(writer, name).key)
}

/**
 * A format writes its first prefix. Keys with another one, which some programs use, keep it as a part of the name:
 * `flask_cache_` beside Invenio's `cache::`.
 */
function keysOf({ format: { take } }: Writer) {
  const { prefixes, name } = take && 'prefixes' in take ? take : { prefixes: [], name: undefined }
  const [prefix = '', ...others] = prefixes
  return {
    prefix,
    isName: (text: string) => text !== '' && (name?.test(text) ?? true),
    isWhole: (text: string) => others.some(each => text.startsWith(each)),
  }
}
