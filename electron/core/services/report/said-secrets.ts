import type { Lock } from '../../../../shared/lock.ts'
import { isToken } from '../observe/named-holder.ts'

/** Shorter words are words of the language. */
const TELLING = 12

/**
 * Finds tokens in what the operator typed: whoever looks for a lock by its token has it in the filter, and a report repeats
 * the filter. Locks are shown to it one by one.
 */
export class SaidSecrets {
  readonly #words: readonly string[]
  readonly #found = new Set<string>()

  constructor(texts: readonly (string | undefined)[]) {
    const words = texts.flatMap(text => text?.split(/[\s"',;()<>]+|\b\w+:/) ?? [])
    this.#words = [...new Set(words.filter(word => word.length >= TELLING))]
  }

  see(lock: Pick<Lock, 'format' | 'owner'>): void {
    if (this.#words.length === 0 || lock.owner === null || !isToken(lock)) return
    const owner = lock.owner.toLowerCase()
    for (const word of this.#words) {
      const lower = word.toLowerCase()
      if (owner.includes(lower) || lower.includes(owner)) this.#found.add(word)
    }
  }

  hide(text: string): string {
    let out = text
    for (const word of this.#found) out = out.replaceAll(word, '•••')
    return out
  }
}
