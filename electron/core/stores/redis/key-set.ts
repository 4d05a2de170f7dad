import { getRandomValues } from 'node:crypto'

/** More would take too much of a room's memory. */
const MOST_KEYS = 10_000_000
const FIRST_SLOTS = 1 << 12
/** Of all slots. */
const FULLEST = 0.7

/**
 * The keys that a listing has seen, because SCAN may repeat one: 64 bits of each, outside the heap, so ten million keys take 128 MB. Two
 * of that many are mistaken for one with a chance of one in 300,000; the seed makes such keys hard to choose.
 */
export class KeySet {
  readonly #seeds = getRandomValues(new Uint32Array(2))
  /** Two numbers per slot; both are zero in an empty one. */
  #slots = new Uint32Array(2 * FIRST_SLOTS)
  size = 0

  constructor(readonly most = MOST_KEYS) {}

  get isFull(): boolean {
    return this.size >= this.most
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** False for a key that is there already. */
  add(key: Uint8Array): boolean {
    let a = this.#seeds[0] as number
    let b = this.#seeds[1] as number
    for (let i = 0; i < key.length; i++) {
      a = Math.imul(a ^ (key[i] as number), 0x01000193)
      b = Math.imul(b ^ (key[i] as number), 0x85ebca6b)
      b ^= b >>> 15
    }
    if (!this.#put(mixed(a), mixed(b ^ key.length) || 1)) return false
    if (++this.size > FULLEST * (this.#slots.length / 2)) this.#grow()
    return true
  }

  #put(a: number, b: number): boolean {
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    for (let at = a & mask; ; at = (at + 1) & mask) {
      const [there, other] = [slots[2 * at], slots[2 * at + 1]]
      if (there === a && other === b) return false
      if (other !== 0) continue
      slots[2 * at] = a
      slots[2 * at + 1] = b
      return true
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Uint32Array(2 * before.length)
    for (let i = 0; i < before.length; i += 2)
      if (before[i + 1] !== 0) this.#put(before[i] as number, before[i + 1] as number)
  }
}

/** Spreads every bit over the whole number. */
function mixed(bits: number): number {
  let h = bits ^ (bits >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
