import { DAY_MS } from '../../../../../shared/duration.ts'
import { OTHER, otherFor } from '../../types.ts'
import { bytesOf, decodeToken, type RedisFormat, tokenProgram } from '../format/format.ts'
import { pickleText, readPickle } from '../format/pickle.ts'
import type { RedisRaw } from '../format/record.ts'

const PREFIXES = ['cache::', 'flask_cache_']
/** Lock identifiers are short; longer strings are cached pages. */
const LONGEST_ID = 256

export const flaskCache: RedisFormat = {
  info: {
    id: 'flask-cache',
    store: 'redis',
    title: 'Flask-Caching add()',
    writtenBy: 'Flask-Caching and cachelib: cache.add() used as a lock, Invenio among them',
    recognisedBy:
      '"!" and a pickled string, integer or boolean; under cache::, flask_cache_ or any other prefix',
    ownerIs: 'token',
    release: 'Deletes the key if its value is still the one shown and it still ends when it was seen to end.',
    notifies: null,
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: true,
    noUndo: null,
  },

  take: { prefixes: PREFIXES, leaseMs: DAY_MS, pollMs: 1000, encode: cachedText },

  recognise(raw, hint) {
    if (raw.value.type !== 'string') return OTHER
    const prefixed = PREFIXES.some(prefix => raw.keyText.startsWith(prefix))
    const value = cachedValue(raw, prefixed || hint.pinned)
    if (value === undefined) return otherFor(hint, 'its value is not a pickled string, integer or boolean')
    if (typeof value === 'string' && value.length > LONGEST_ID && !hint.pinned) return OTHER
    return { is: 'lock', confidence: prefixed ? 0.9 : 0.6 }
  },

  decode(raw, now) {
    const value = cachedValue(raw, true)
    const owner = typeof value === 'string' ? value : null
    const prefix = PREFIXES.find(each => raw.keyText.startsWith(each)) ?? ''
    return decodeToken(raw, now, {
      name: raw.keyText.slice(prefix.length),
      owner,
      fields: { value: typeof value === 'bigint' ? value.toString() : (value ?? null) },
      usualLeaseMs: DAY_MS,
      notes: prefix === '' ? [{ code: 'looks-like-cache' }] : [],
    })
  },

  release: tokenProgram,
}

/** cachelib puts "!" before a pickle. */
function cachedText(text: string): Buffer {
  return Buffer.concat([Buffer.from('!'), pickleText(text)])
}

/** Several versions of cachelib write integers as plain digits. */
function cachedValue(raw: RedisRaw, digitsToo: boolean): string | number | bigint | boolean | undefined {
  const bytes = bytesOf(raw)
  if (bytes[0] === 0x21) return readPickle(bytes.subarray(1))
  const text = bytes.toString('latin1')
  return digitsToo && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}
