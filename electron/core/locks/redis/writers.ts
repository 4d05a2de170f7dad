import { isUtf8 } from 'node:buffer'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { keyToText, textToKey } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { isCounterName } from '../../stores/redis/fencing-counter.ts'
import { isText } from '../input.ts'

/** How the locks of one format are written, as data. The console's formats read them. */
export type Writer = {
  readonly id: string
  readonly defaultTtlMs: number
  readonly pollMs: number
  /** Null for a name that the format cannot store. */
  readonly keyOf: (name: string) => string | null
  readonly nameOf: (key: string) => string | null
  /** The whole value; null for a JSON object with times, a mark and metadata. */
  readonly written: ((owner: string) => Buffer) | null
  /** The message of a release. */
  readonly announced: (name: string, key: string) => string
}

/** Other programs of these formats announce no releases, so waiters poll more often. */
const UNANNOUNCED_POLL_MS = 1000

const byKey = (_: string, key: string) => key
const prefixed = (prefix: string): Pick<Writer, 'keyOf' | 'nameOf'> => ({
  keyOf: name => prefix + name,
  nameOf: key => (key.startsWith(prefix) && key.length > prefix.length ? key.slice(prefix.length) : null),
})

const PIPELINE = /^[^:]+:.+$/s
const pipelines = prefixed('pipeline_lock:')

/** Invenio's prefix. For programs with plain Flask-Caching's prefix, that prefix is part of the name. */
const cached = prefixed('cache::')
const FLASK = 'flask_cache_'

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

const WRITERS: readonly Writer[] = [
  {
    id: 'recharge-json',
    defaultTtlMs: HOUR_MS,
    pollMs: UNANNOUNCED_POLL_MS,
    ...prefixed('lockRecharge:'),
    written: null,
    announced: byKey,
  },
  {
    id: 'pubsub-token',
    defaultTtlMs: MINUTE_MS / 2,
    pollMs: 5000,
    ...prefixed('lock:'),
    written: owner => Buffer.from(owner),
    announced: name => name,
  },
  {
    id: 'pipeline-run',
    defaultTtlMs: HOUR_MS,
    pollMs: UNANNOUNCED_POLL_MS,
    keyOf: name => (PIPELINE.test(name) ? pipelines.keyOf(name) : null),
    nameOf: key => {
      const name = pipelines.nameOf(key)
      return name !== null && PIPELINE.test(name) ? name : null
    },
    written: owner => Buffer.from(owner),
    announced: byKey,
  },
  {
    id: 'flask-cache',
    defaultTtlMs: DAY_MS,
    pollMs: UNANNOUNCED_POLL_MS,
    keyOf: name => (name.startsWith(FLASK) ? name : cached.keyOf(name)),
    nameOf: key => {
      if (key.startsWith(FLASK)) return key
      const name = cached.nameOf(key)
      return name?.startsWith(FLASK) ? null : name
    },
    written: cachelibText,
    announced: byKey,
  },
  {
    id: 'token',
    defaultTtlMs: MINUTE_MS / 2,
    pollMs: UNANNOUNCED_POLL_MS,
    keyOf: name => (isCounterName(name) ? null : name),
    nameOf: key => (isCounterName(key) ? null : key),
    written: owner => Buffer.from(owner),
    announced: byKey,
  },
]

export function writerOf(format: string | null): Writer {
  const [first] = WRITERS
  const found = format === null ? first : WRITERS.find(each => each.id === format)
  if (found) return found
  const known = WRITERS.map(each => each.id).join(', ')
  throw new StoreError(
    'BAD_INPUT',
    `Lockkeeper cannot take locks of this format in Redis; supported: ${known}`,
  )
}

/** The key of a lock, and how its release is announced. */
export type LockKey = { readonly key: Buffer; readonly channel: string; readonly message: string }

export function lockKeyOf(writer: Writer, name: string): LockKey {
  const key = name === '' || !isText(name) ? null : writer.keyOf(name)
  if (key === null) {
    const shape = writer.id === 'pipeline-run' ? ', which is a tenant, a colon and a pipeline' : ''
    throw new StoreError('BAD_INPUT', `This cannot be the name of a lock in the format ${writer.id}${shape}`)
  }
  const message = writer.announced(name, key)
  return { key: Buffer.from(key), channel: `lock:released:${message}`, message }
}

/** The name of the lock under a key as the console shows it; null for a key of another format. */
export function nameOfKey(writer: Writer, keyText: string): string | null {
  const key = textToKey(keyText)
  return isUtf8(key) && key.length > 0 ? writer.nameOf(key.toString()) : null
}

export function keyTextOf(writer: Writer, name: string): string {
  return keyToText(lockKeyOf(writer, name).key)
}
