const PROTO = 0x80
const FRAME = 0x95
const SHORT_TEXT = 0x8c
const TEXT = 0x58
const MEMOIZE = 0x94
const STOP = 0x2e

/** "!" and the pickle of a string as cachelib writes it: the highest protocol of today's Pythons, which is 5. */
export function cachelibText(text: string): Buffer {
  const utf8 = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(utf8.length)
  const header = utf8.length < 256 ? Buffer.from([SHORT_TEXT, utf8.length]) : Buffer.from([TEXT, ...length])
  const frame = Buffer.concat([header, utf8, Buffer.from([MEMOIZE, STOP])])
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(frame.length))
  return Buffer.concat([Buffer.from('!'), Buffer.from([PROTO, 5, FRAME]), size, frame])
}
