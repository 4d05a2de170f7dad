import { createHash } from 'node:crypto'
import type { ReportEvent } from '../../../../shared/reports.ts'

const PIECE_CHARS = 128 * 1024

/** Puts texts together into pieces of a good size, and knows what they come to. */
export class Pieces {
  readonly #hash = createHash('sha256')
  #waiting = ''
  #bytes = 0

  /** Once, at the end. */
  sum(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  *add(texts: Iterable<string>): Iterable<ReportEvent> {
    for (const text of texts) {
      this.#waiting += text
      if (this.#waiting.length >= PIECE_CHARS) yield* this.rest()
    }
  }

  *rest(): Iterable<ReportEvent> {
    if (this.#waiting === '') return
    const text = this.#waiting
    this.#waiting = ''
    const bytes = Buffer.from(text)
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    yield { type: 'piece', encoding: 'text', text }
  }
}
