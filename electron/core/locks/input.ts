import { StoreError } from '../lib/errors.ts'
import type { Metadata } from './types.ts'

/**
 * Programs without types pass what they have, a number for a run or nothing for a key. Stores would write such a thing as one
 * and compare it as another: the lock would be nobody's, or everybody's.
 */
export function checkKey(key: unknown): void {
  if (typeof key !== 'string' || key === '') throw bad('The key of a lock must be a text that is not empty')
}

export function checkOwner(owner: unknown): void {
  if (typeof owner !== 'string' || owner === '')
    throw bad('The owner of a lock must be a text that is not empty')
}

export function metadataFrom(metadata: unknown): Metadata | null {
  if (metadata === undefined || metadata === null) return null
  const isRecord = typeof metadata === 'object' && !Array.isArray(metadata)
  if (!isRecord || !Object.entries(metadata).every(([name, value]) => isText(name) && isPlain(value)))
    throw bad('The metadata of a lock must be names with texts, numbers, booleans or null')
  // What is changed afterwards was not meant for this lock.
  return { ...(metadata as Metadata) }
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

/** Half a surrogate pair is kept by no store. */
function isText(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

function bad(message: string): StoreError {
  return new StoreError('BAD_INPUT', message)
}
