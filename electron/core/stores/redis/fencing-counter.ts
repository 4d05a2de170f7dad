import { textOf } from './format/format.ts'
import type { RedisRaw } from './format/record.ts'

/** The key of the last fencing number of lock managers. It has no TTL, and is not a lock. */
const COUNTER = 'lockkeeper:fencing'
const COUNTER_NAME = /^lockkeeper:fencing(?::\{\d+\})?$/
const SLOTS = 16_384

/** One counter per slot of a cluster, as scripts touch one slot only; one per key would leave a record for every name. */
export function counterFor(key: Buffer, isCluster: boolean): Buffer {
  return Buffer.from(isCluster ? `${COUNTER}:{${tagOf(slotOf(key))}}` : COUNTER)
}

export function isCounterName(keyText: string): boolean {
  return COUNTER_NAME.test(keyText)
}

/** Checks the value too: a record that only has the name is shown. */
export function isFencingCounter(raw: RedisRaw): boolean {
  return isCounterName(raw.keyText) && /^\d{1,16}$/.test(textOf(raw) ?? '')
}

/** The slot of a key: of what is between its first braces if that is anything, of the whole key otherwise. */
function slotOf(key: Buffer): number {
  const open = key.indexOf('{')
  const close = open < 0 ? -1 : key.indexOf('}', open)
  return crc16(close > open + 1 ? key.subarray(open + 1, close) : key) % SLOTS
}

const tags = new Map<number, string>()
let tried = 0

/** A number that hashes to this slot. The first hundred thousand or so reach every slot. */
function tagOf(slot: number): string {
  for (; !tags.has(slot); tried++) {
    const reached = crc16(Buffer.from(String(tried))) % SLOTS
    if (!tags.has(reached)) tags.set(reached, String(tried))
  }
  return tags.get(slot) as string
}

/** CRC-16/XMODEM, as Redis Cluster specifies it. */
function crc16(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
    crc &= 0xffff
  }
  return crc
}
