import { holdersLookAlike } from '../../../../shared/lease.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { hashToken } from '../audit/audited.ts'
import { isToken } from '../stats/named-holder.ts'

const HIDDEN = '•••'
/** Shorter texts are words of every language, and guessed at once. */
const SHORTEST = 4
/** From this length on, a part of a token is a piece of a secret and not a word. */
const TELLING = 12
/** A word may be a secret with something around it: `owner:…`, `(…)`, `…,`. The secret itself may have this many signs. */
const MOST_EDGES = 40
const SIGN = /[^\p{L}\p{N}]/gu

/** A holder as the audit log and the history have it: by the hash of its token. */
export type HashedHolder = { readonly format: string; readonly ownerHash: string | null }

type LockSecrets = Pick<Lock, 'format' | 'owner' | 'fence'> & { readonly notes?: Lock['notes'] }

/**
 * Hides tokens and fences in typed text: an operator may filter by a token, and reasons are written in a hurry. Of a lock that is
 * gone only the hash is known, which finds a complete token; of a stored lock, the scanner also finds a part that is long enough.
 */
export class SecretScanner {
  readonly #all: string
  /** In lower case, as a filter takes them. */
  readonly #spans = new Set<string>()
  /** Long parts of words, by their beginning and by every piece of that length: there are many locks to compare with. */
  readonly #beginnings = new Map<string, string[]>()
  readonly #pieces = new Map<string, string[]>()
  readonly #found = new Set<string>()
  readonly #phrases = new Set<string>()
  readonly #hashes = new Set<string>()
  readonly #known = new Map<string, string>()

  /** `texts` are all texts that will be hidden. */
  constructor(texts: readonly (string | null | undefined)[]) {
    this.#all = texts.join('\n')
    const lower = this.#all.toLowerCase()
    for (const word of new Set(lower.split(/\s+/)))
      for (const { text } of spansOf(word)) this.#spans.add(text)
    const parts = [...lower.split(/\s+/), ...lower.split(/[\s"',;()<>=:]+/)]
    for (const part of new Set(parts.filter(each => each.length >= TELLING))) {
      add(this.#beginnings, part.slice(0, TELLING), part)
      for (let i = 0; i + TELLING <= part.length; i++) add(this.#pieces, part.slice(i, i + TELLING), part)
    }
  }

  addLock({ format, owner, fence, notes }: LockSecrets): void {
    if (this.#spans.size === 0) return
    this.addSecret(fence)
    // A value that every holder writes is no secret.
    if (owner !== null && isToken({ format }) && !isWord(owner) && !holdersLookAlike(notes ? { notes } : {}))
      this.addSecret(owner)
  }

  /** The holder of a lock that may be gone. */
  addHolder({ format, ownerHash }: HashedHolder): void {
    if (ownerHash !== null && isToken({ format })) this.#hashes.add(ownerHash)
  }

  hide(text: string): string {
    let out = text
    for (const phrase of this.#phrases) out = out.replaceAll(phrase, HIDDEN)
    return out.replace(/\S+/g, word => this.#hideIn(word))
  }

  /** A token or a fence. */
  addSecret(secret: string): void {
    const lower = secret.toLowerCase()
    if (this.#spans.has(lower)) this.#found.add(lower)
    for (let i = 0; i + TELLING <= lower.length; i++)
      for (const part of this.#beginnings.get(lower.slice(i, i + TELLING)) ?? [])
        if (lower.startsWith(part, i)) this.#found.add(part)
    for (const part of this.#pieces.get(lower.slice(0, TELLING)) ?? [])
      if (part.includes(lower) && !spansOf(part).some(({ text }) => text === lower)) this.#found.add(part)
    // Words are checked one by one, which would miss a secret of several words.
    if (/\s/.test(secret) && secret.length >= SHORTEST && this.#all.includes(secret))
      this.#phrases.add(secret)
  }

  #hideIn(word: string): string {
    const known = this.#known.get(word)
    if (known !== undefined) return known
    const [longest] = spansOf(word)
      .filter(({ text }) => this.#isSecret(text))
      .sort((a, b) => b.text.length - a.text.length)
    const shown =
      longest === undefined
        ? word
        : this.#hideIn(word.slice(0, longest.start)) +
          HIDDEN +
          this.#hideIn(word.slice(longest.start + longest.text.length))
    this.#known.set(word, shown)
    return shown
  }

  #isSecret(text: string): boolean {
    const lower = text.toLowerCase()
    if (this.#found.has(lower)) return true
    if (this.#hashes.size === 0 || isWord(text)) return false
    return [text, lower].some(each => this.#hashes.has(hashToken(each) ?? ''))
  }
}

/** `locked` or `true`: simple programs write such a value, and people write it in sentences. */
function isWord(text: string): boolean {
  return /^\p{L}{1,7}$/u.test(text)
}

function add(all: Map<string, string[]>, name: string, part: string): void {
  const before = all.get(name)
  if (before) before.push(part)
  else all.set(name, [part])
}

/** Every part of a word between two of its signs or ends; the word itself first. */
function spansOf(word: string): { readonly start: number; readonly text: string }[] {
  if (word.length < SHORTEST) return []
  const edges = new Set([0, word.length])
  for (const { index, 0: sign } of word.matchAll(SIGN)) edges.add(index).add(index + sign.length)
  const places = [...edges].sort((a, b) => a - b)
  const spans = [{ start: 0, text: word }]
  for (const [i, start] of places.entries())
    for (const end of places.slice(i + 1, i + 1 + MOST_EDGES))
      if (end - start >= SHORTEST && end - start < word.length)
        spans.push({ start, text: word.slice(start, end) })
  return spans
}
