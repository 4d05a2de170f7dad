/**
 * Reads the pickles of single strings, integers and booleans, protocols 0 to 5. A pickle is a program that can call
 * anything; this knows only the few instructions that push a constant, and refuses every other, so nothing can run.
 */

const MEMO_SIZES: Record<number, number> = { 113: 1, 114: 4, 148: 0 } // BINPUT, LONG_BINPUT, MEMOIZE

type Scalar = string | number | bigint | boolean

/** Undefined for anything that is not exactly one such value. */
export function readPickle(bytes: Buffer): Scalar | undefined {
  try {
    return new Reader(bytes).read()
  } catch (error) {
    // Reading past the end of a Buffer throws RangeError, a bad UTF-8 string throws TypeError.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

class Reader {
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(): Scalar | undefined {
    let value: Scalar | undefined
    for (;;) {
      const opcode = this.#take(1).readUInt8()
      if (opcode === 0x2e) return this.#at === this.#bytes.length ? value : undefined // STOP
      if (opcode === 0x80) {
        if (this.#take(1).readUInt8() > 5) return undefined // PROTO
      } else if (opcode === 0x95)
        this.#take(8) // FRAME
      else if (opcode in MEMO_SIZES) this.#take(MEMO_SIZES[opcode] ?? 0)
      else if (opcode === 0x70)
        this.#line() // PUT
      else if (value !== undefined) return undefined
      else {
        value = this.#constant(opcode)
        if (value === undefined) return undefined
      }
    }
  }

  #constant(opcode: number): Scalar | undefined {
    switch (opcode) {
      case 0x88: // NEWTRUE
        return true
      case 0x89: // NEWFALSE
        return false
      case 0x4b: // BININT1
        return this.#take(1).readUInt8()
      case 0x4d: // BININT2
        return this.#take(2).readUInt16LE()
      case 0x4a: // BININT
        return this.#take(4).readInt32LE()
      case 0x8a: // LONG1
        return littleEndian(this.#take(this.#take(1).readUInt8()))
      case 0x49: // INT: "01" and "00" are how protocol 0 writes booleans
        return decimal(this.#line())
      case 0x4c: // LONG
        return decimal(this.#line().replace(/L$/, ''))
      case 0x8c: // SHORT_BINUNICODE
        return utf8(this.#take(this.#take(1).readUInt8()))
      case 0x58: // BINUNICODE
        return utf8(this.#take(this.#take(4).readUInt32LE()))
      case 0x8d: // BINUNICODE8
        return utf8(this.#take(Number(this.#take(8).readBigUInt64LE())))
      case 0x56: // UNICODE: raw-unicode-escape; anything escaped is left as it stands
        return this.#line()
      case 0x55: // SHORT_BINSTRING
      case 0x43: // SHORT_BINBYTES
        return utf8(this.#take(this.#take(1).readUInt8()))
      default:
        return undefined
    }
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('short pickle')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  #line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at)
    if (end < 0) throw new RangeError('short pickle')
    const line = this.#bytes.toString('latin1', this.#at, end)
    this.#at = end + 1
    return line
  }
}

function utf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function decimal(text: string): Scalar | undefined {
  if (text === '01') return true
  if (text === '00') return false
  if (!/^-?\d{1,30}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

/** Two's complement of any length, as Python writes its long integers. */
function littleEndian(bytes: Buffer): number | bigint {
  let value = 0n
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0)
  const signed =
    bytes.length > 0 && (bytes[bytes.length - 1] ?? 0) >= 0x80
      ? value - (1n << BigInt(bytes.length * 8))
      : value
  return signed >= Number.MIN_SAFE_INTEGER && signed <= Number.MAX_SAFE_INTEGER ? Number(signed) : signed
}
