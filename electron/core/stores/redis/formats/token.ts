import { MINUTE_MS } from '../../../../../shared/duration.ts'
import { holdsForMaintenance } from '../../../../../shared/hold-words.ts'
import { bytesToDisplay } from '../../../lib/bytes.ts'
import { OTHER } from '../../types.ts'
import { bytesOf, decodeToken, isDistinctive, type RedisFormat, tokenProgram } from '../format/format.ts'

/** Only the start of a long value decides whether it looks like a token. */
const TOKEN_LIMIT = 256

function isHeldForMaintenance(value: Buffer): boolean {
  return value.length <= TOKEN_LIMIT && holdsForMaintenance(value.toString('latin1')) !== null
}

export const token: RedisFormat = {
  info: {
    id: 'token',
    store: 'redis',
    title: 'Plain token',
    writtenBy: 'anything that does SET key token NX PX: redlock, redis-semaphore mutexes, home-made locks',
    recognisedBy:
      'any string under a pattern that the operator gives with match=; maintenance holds anywhere',
    ownerIs: 'token',
    release: 'Deletes the key if it still holds the value shown.',
    notifies: null,
    holderNotices: 'at-renewal',
    // redis-semaphore's default handler for a lost lock throws inside a timer and ends the process.
    holderMayCrash: true,
    mayComeBack: true,
    noUndo: null,
  },

  take: { prefixes: [''], leaseMs: MINUTE_MS / 2, pollMs: 1000, encode: Buffer.from },

  recognise(raw, hint) {
    if (raw.value.type !== 'string' || raw.value.bytes.length === 0) return OTHER
    if (hint.pinned) return { is: 'lock', confidence: 1 }
    // By giving a pattern the operator declares its keys to be locks. Without one a string is just a string, unless its value
    // declares a maintenance hold.
    return hint.patternGiven || isHeldForMaintenance(raw.value.bytes)
      ? { is: 'lock', confidence: 0.3 }
      : OTHER
  },

  decode(raw, now) {
    const value = bytesOf(raw)
    return decodeToken(raw, now, {
      name: raw.keyText,
      owner: bytesToDisplay(value),
      isDistinctive: isDistinctive(bytesToDisplay(value.subarray(0, TOKEN_LIMIT))),
      fields: { size: raw.size },
    })
  },

  release: tokenProgram,
}
