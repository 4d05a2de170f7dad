import { isUtf8 } from 'node:buffer'
import { keyToText, textToKey } from '../../lib/bytes.ts'
import { badInput } from '../../lib/errors.ts'
import { isCounterName } from '../../stores/redis/fencing-counter.ts'
import type { RedisFormat, RedisTake } from '../../stores/redis/format/format.ts'
import { REDIS_FORMATS } from '../../stores/redis/formats/index.ts'
import type { Taken } from '../../stores/types.ts'
import { isText } from '../input.ts'
import type { ProviderTraits } from '../provider.ts'

export type TakenFormat = Taken<RedisFormat>

/** The first is the default. */
const TAKEN = REDIS_FORMATS.filter((format): format is TakenFormat => format.take !== undefined)

export function takenFormat(id: string | null): TakenFormat {
  const found = TAKEN.find(({ info }) => id === null || info.id === id)
  if (found) return found
  const known = TAKEN.map(({ info }) => info.id).join(', ')
  throw badInput(`Lockkeeper cannot take locks of this format in Redis; supported: ${known}`)
}

export function traitsOf(format: TakenFormat): ProviderTraits {
  return {
    kind: 'redis',
    format: format.info.id,
    defaultTtlMs: format.take.leaseMs,
    pollMs: format.take.pollMs,
    selection: { option: 'match', value: () => patternOf(format) },
    keyOf: name => keyToText(lockKeyOf(format, name).key),
    nameOf: key => nameOfKey(format, key),
  }
}

/** The key of a lock, and how its release is announced. */
export type LockKey = { readonly key: Buffer; readonly channel: string; readonly message: string }

export function lockKeyOf({ info, take }: TakenFormat, name: string): LockKey {
  const [prefix = ''] = take.prefixes
  if (!isText(name) || !isName(take, name) || isCounterName(prefix + name)) {
    const shape = take.name ? `, which is ${take.name.is}` : ''
    throw badInput(`This cannot be the name of a lock in the format ${info.id}${shape}`)
  }
  const key = hasOtherPrefix(take, name) ? name : prefix + name
  const message = take.announcesName ? name : key
  return { key: Buffer.from(key), channel: `lock:released:${message}`, message }
}

/** The name of the lock under a key as the console shows it; null for a key of another format. */
function nameOfKey({ take }: TakenFormat, keyText: string): string | null {
  const bytes = textToKey(keyText)
  if (!isUtf8(bytes) || isCounterName(keyText)) return null
  const key = bytes.toString()
  if (hasOtherPrefix(take, key)) return key
  const [prefix = ''] = take.prefixes
  const name = key.slice(prefix.length)
  return key.startsWith(prefix) && isName(take, name) && !hasOtherPrefix(take, name) ? name : null
}

/** The pattern of the keys of this format. */
function patternOf({ info, take }: TakenFormat): string {
  const [prefix, ...others] = take.prefixes
  if (!prefix || others.length > 0)
    throw badInput(
      `Keys of the format ${info.id} have no fixed prefix: set match= in the address to select the locks`,
    )
  return `${prefix.replace(/[\\*?[\]^]/g, '\\$&')}*`
}

function isName({ name }: RedisTake, text: string): boolean {
  return text !== '' && (name?.shape.test(text) ?? true)
}

/** Keys with a prefix that only some programs use keep it in the name: `flask_cache_` beside Invenio's `cache::`. */
function hasOtherPrefix({ prefixes: [, ...others] }: RedisTake, text: string): boolean {
  return others.some(each => text.startsWith(each))
}
