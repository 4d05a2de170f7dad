import { escapeForTerminal, neutralise } from '../../shared/safe-text.ts'
import { en, type Words } from './en.ts'

/** The words of the screen. Another language is another file of this shape, chosen here. */
export const t: Words = en

/** Longer texts are cut before they reach the page, because laying them out is slow. */
const MAX_LENGTH = 400

/** A sentence of Lockkeeper, with or without its full stop. Quoted server text is escaped already. */
export function sentence(text: string): string {
  const shown = neutralise(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
  return /[.!?…]$/.test(shown) ? shown : `${shown}.`
}

/** A text from a store. Characters that reorder, hide or imitate other text are escaped as on a terminal. */
export function shownText(text: string, longest = MAX_LENGTH): string {
  const start = text.length > longest ? `${text.slice(0, longest)}…` : text
  return escapeForTerminal(start)
}
