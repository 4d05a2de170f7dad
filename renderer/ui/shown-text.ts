import { escapeForTerminal, neutralise } from '../../shared/safe-text.ts'

/** Longer texts are cut before they reach the page: nobody reads them there, and laying them out is slow. */
const LONGEST = 400

/**
 * One of our own sentences, or core's, which may quote a server's words that are escaped already. They come with and
 * without a full stop.
 */
export function sentence(text: string): string {
  const shown = neutralise(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
  return /[.!?…]$/.test(shown) ? shown : `${shown}.`
}

/**
 * A text from a store for people to read. What would reorder, hide or imitate other text is written out, as it is on a
 * terminal; what looks like markup stays text because it is never anything else here.
 */
export function shownText(text: string, longest = LONGEST): string {
  const start = text.length > longest ? `${text.slice(0, longest)}…` : text
  return escapeForTerminal(start)
}
