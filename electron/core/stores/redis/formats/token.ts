import { MINUTE_MS } from '../../../../../shared/duration.ts'
import { holdsForMaintenance } from '../../../../../shared/hold-words.ts'
import { bytesToDisplay } from '../../../lib/bytes.ts'
import { OTHER } from '../../types.ts'
import { bytesOf, decodeToken, type RedisFormat, textOf, tokenProgram } from '../format/format.ts'

/** Longer values are shown in full by inspect; a row does not need them. */
const OWNER_LIMIT = 256

function isHeldForMaintenance(value: Buffer): boolean {
  return value.length <= OWNER_LIMIT && holdsForMaintenance(value.toString('latin1')) !== null
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

  take: { prefixes: [''], leaseMs: MINUTE_MS / 2, pollMs: 1000, encode: Buffer.from, ownerOf: textOf },

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
    const owner = bytesToDisplay(bytesOf(raw).subarray(0, OWNER_LIMIT))
    return decodeToken(raw, now, {
      name: raw.keyText,
      owner,
      fields: { size: raw.size },
    })
  },

  release: tokenProgram,
}
