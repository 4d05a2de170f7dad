/** Reads pickles of one string, integer or boolean, protocols 0 to 5. Anything but a constant is refused: nothing can run. */

type Scalar = string | number | bigint | boolean

const STOP = 0x2e
const PROTO = 0x80
const PUT = 0x70
const SHORT_BINUNICODE = 0x8c
const BINUNICODE = 0x58
const MEMOIZE = 0x94
const FRAME = 0x95

/** The bytes after each instruction that pushes nothing; 113 is BINPUT, 114 LONG_BINPUT. */
const SKIPPED: Readonly<Record<number, number>> = { 113: 1, 114: 4, [MEMOIZE]: 0, [FRAME]: 8 }

const CONSTANTS: Readonly<Record<number, (rest: Reader) => Scalar | undefined>> = {
  136: () => true, // NEWTRUE
  137: () => false, // NEWFALSE
  75: rest => rest.byte(), // BININT1
  77: rest => rest.take(2).readUInt16LE(), // BININT2
  74: rest => rest.take(4).readInt32LE(), // BININT
  138: rest => littleEndian(rest.take(rest.byte())), // LONG1
  73: rest => decimal(rest.line()), // INT: "01" and "00" are how protocol 0 writes booleans
  76: rest => decimal(rest.line().replace(/L$/, '')), // LONG
  [SHORT_BINUNICODE]: rest => utf8(rest.take(rest.byte())),
  [BINUNICODE]: rest => utf8(rest.take(rest.take(4).readUInt32LE())),
  141: rest => utf8(rest.take(Number(rest.take(8).readBigUInt64LE()))), // BINUNICODE8
  86: rest => rest.line(), // UNICODE: raw-unicode-escape; anything escaped is left as it stands
  85: rest => utf8(rest.take(rest.byte())), // SHORT_BINSTRING
  67: rest => utf8(rest.take(rest.byte())), // SHORT_BINBYTES
}

/** Undefined for anything that is not exactly one such value. */
export function readPickle(bytes: Buffer): Scalar | undefined {
  const rest = new Reader(bytes)
  let value: Scalar | undefined
  try {
    for (let opcode = rest.byte(); opcode !== STOP; opcode = rest.byte()) {
      const skipped = SKIPPED[opcode]
      if (skipped !== undefined) rest.take(skipped)
      else if (opcode === PUT) rest.line()
      else if (opcode === PROTO) {
        if (rest.byte() > 5) return undefined
      } else if (value !== undefined) return undefined
      else {
        value = CONSTANTS[opcode]?.(rest)
        if (value === undefined) return undefined
      }
    }
    return rest.isAtEnd() ? value : undefined
  } catch (error) {
    // Reading past the end throws RangeError, a bad UTF-8 string throws TypeError.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

/** The pickle of a string as today's Pythons write it: their highest protocol is 5. */
export function pickleText(text: string): Buffer {
  const utf8 = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(utf8.length)
  const header =
    utf8.length < 256 ? Buffer.from([SHORT_BINUNICODE, utf8.length]) : Buffer.from([BINUNICODE, ...length])
  const frame = Buffer.concat([header, utf8, Buffer.from([MEMOIZE, STOP])])
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(frame.length))
  return Buffer.concat([Buffer.from([PROTO, 5, FRAME]), size, frame])
}

class Reader {
  #at = 0

  constructor(readonly bytes: Buffer) {}

  isAtEnd(): boolean {
    return this.#at === this.bytes.length
  }

  byte(): number {
    return this.take(1).readUInt8()
  }

  take(length: number): Buffer {
    if (this.#at + length > this.bytes.length) throw new RangeError('short pickle')
    this.#at += length
    return this.bytes.subarray(this.#at - length, this.#at)
  }

  line(): string {
    const end = this.bytes.indexOf(0x0a, this.#at)
    if (end < 0) throw new RangeError('short pickle')
    return this.take(end + 1 - this.#at)
      .toString('latin1')
      .slice(0, -1)
  }
}

function utf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function decimal(text: string): Scalar | undefined {
  if (text === '01') return true
  if (text === '00') return false
  return /^-?\d{1,30}$/.test(text) ? shortened(BigInt(text)) : undefined
}

/** Two's complement of any length, as Python writes its long integers. */
function littleEndian(bytes: Buffer): number | bigint {
  const hex = Buffer.from(bytes).reverse().toString('hex')
  return shortened(BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex || 0}`)))
}

/** A number if it is exact as one. */
function shortened(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
