import { escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'

/** Longer texts nobody reads on a page; the JSON has them whole. */
const LONGEST = 400

/** A text that a store, a server or a person chose: what would hide or reorder other text is written out. */
export function shownData(text: string): string {
  return escapeForTerminal(cut(text))
}

/** One of our own sentences, which may quote such a text. */
export function shownSentence(text: string): string {
  return neutralise(cut(text))
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** For elements and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, char => `&#${char.charCodeAt(0)};`)
}
