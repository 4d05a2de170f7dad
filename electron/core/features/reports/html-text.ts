import { escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'

/** Longer names nobody reads on a page; the JSON has them whole. */
const LONGEST = 400

/** What would hide or reorder other text is written out. */
export function shownData(text: string): string {
  return escapeForTerminal(text)
}

/** One of our own sentences, which may quote such a text, or what an operator wrote. */
export function shownSentence(text: string): string {
  return neutralise(text)
}

/** For what a store has, wherever it is quoted. What people wrote is never cut. */
export function cutData(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** For elements and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, char => `&#${char.charCodeAt(0)};`)
}
