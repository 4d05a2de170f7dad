import { OTHER, otherFor } from '../../types.ts'
import { decodeToken, type RedisFormat, textOf, tokenProgram } from '../format/format.ts'

const PREFIX = 'lock:'
const SIGNAL = 'lock-signal:'
/** base64 of 18 random bytes: never padded. 24 hexadecimal digits are another library's token. */
const TOKEN = /^(?![0-9a-f]*$)[A-Za-z0-9+/]{24}$/

export const pythonRedisLock: RedisFormat = {
  info: {
    id: 'python-redis-lock',
    store: 'redis',
    title: 'python-redis-lock',
    writtenBy: 'the Python package python-redis-lock',
    recognisedBy: `24 characters of base64 under ${PREFIX}<name>`,
    ownerIs: 'token',
    release: `Deletes the key if it still holds the token shown, and pushes to ${SIGNAL}<name> as the library does.`,
    notifies: `Waiting processes block on ${SIGNAL}<name>; a plain DEL would leave them asleep.`,
    holderNotices: 'at-renewal',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  owns: [PREFIX],

  takeHarm: 'its waiting processes would not be woken when the hold ends',

  recognise(raw, hint) {
    if (raw.keyText.startsWith(SIGNAL) && raw.value.type === 'list') return { is: 'companion' }
    const text = textOf(raw)
    if (!raw.keyText.startsWith(PREFIX) || text === null)
      return otherFor(hint, `it is not a string under ${PREFIX}`)
    return hint.pinned || TOKEN.test(text) ? { is: 'lock', confidence: 0.9 } : OTHER
  },

  decode(raw, now) {
    const token = textOf(raw) ?? ''
    const name = raw.keyText.slice(PREFIX.length)
    return decodeToken(raw, now, { name, owner: token, fields: { token }, isDistinctive: TOKEN.test(token) })
  },

  release(raw, endsAt) {
    const signal = Buffer.concat([Buffer.from(SIGNAL), raw.key.subarray(PREFIX.length)])
    return tokenProgram(raw, endsAt, [
      ['DEL', signal],
      ['LPUSH', signal, '1'],
      ['PEXPIRE', signal, 1000],
      ['DEL', raw.key],
    ])
  },
}
