import { MINUTE_MS } from '../../../../../shared/duration.ts'
import { OTHER, otherFor } from '../../types.ts'
import { decodeToken, type RedisFormat, textOf, tokenProgram } from '../format/format.ts'

const PREFIX = 'lock:'

export const pubsubToken: RedisFormat = {
  info: {
    id: 'pubsub-token',
    store: 'redis',
    title: 'Token with Pub/Sub',
    writtenBy: 'DistributedLockService (waiters listen on lock:released:*)',
    recognisedBy: `a token under ${PREFIX}<name>`,
    ownerIs: 'token',
    release: 'Deletes the key if it still holds the token shown, and publishes the release.',
    notifies: 'Publishes on lock:released:<name>, so that every waiting process tries again at once.',
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  take: {
    prefixes: [PREFIX],
    leaseMs: MINUTE_MS / 2,
    pollMs: 5000,
    encode: Buffer.from,
    announcesName: true,
  },

  owns: [PREFIX],

  recognise(raw, hint) {
    if (!raw.keyText.startsWith(PREFIX) || raw.keyText.length === PREFIX.length)
      return otherFor(hint, `its key does not start with ${PREFIX}`)
    return textOf(raw) ? { is: 'lock', confidence: 0.8 } : OTHER
  },

  decode(raw, now) {
    const token = textOf(raw) ?? ''
    const name = raw.keyText.slice(PREFIX.length)
    const fields = { token, channel: `lock:released:${name}` }
    return decodeToken(raw, now, { name, owner: token, fields })
  },

  release(raw, endsAt) {
    const name = raw.key.subarray(PREFIX.length)
    return tokenProgram(raw, endsAt, [
      ['PUBLISH', Buffer.concat([Buffer.from('lock:released:'), name]), name],
      ['DEL', raw.key],
    ])
  },
}
