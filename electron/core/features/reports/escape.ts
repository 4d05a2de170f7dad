import { escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'

/** Escapes text for HTML and for Markdown. */

/** Longer names are cut on a page; the JSON has them whole. */
const LONGEST_DATA = 400

/** For data of a store wherever a page quotes it. Text that people wrote is never truncated. */
export function cutData(text: string): string {
  return text.length > LONGEST_DATA ? `${text.slice(0, LONGEST_DATA)}…` : text
}

/** A name or a value from a store, in HTML: characters that hide or reorder other text are escaped. */
export function htmlData(text: string): string {
  return escapeHtml(escapeForTerminal(text))
}

/** A sentence, which may quote such a name or an operator's text. */
export function htmlSentence(text: string): string {
  return escapeHtml(neutralise(text))
}

/** For elements and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, reference)
}

/**
 * A character reference never begins or ends anything in Markdown, in no flavor: every character becomes one that could be markup,
 * a link, an image, HTML or the end of a table's cell.
 */
const MARKUP = /[\\`*{}[\]<>#|~&^$]|_(?![A-Za-z0-9])|(?<![A-Za-z0-9])_/g
/** Some flavors make links of bare addresses: behind `://`, behind `www.`, and of everything with an @ in it. */
const ADDRESS = /:(?=\/)|(?<=www)\.|@/gi
/** What begins a list, a heading or a rule when it is the first of its line. */
const BEGINNING = /^(\s*)(?:([-+=:])|(\d+)([.)]))/
/** Invisible, and no letter: what stands on its two sides is not one address. */
const JOINER = '&#8288;'

/** A name or a value from a store: as code, where nothing is markup, unless code itself could end in it. */
export function markdownCode(text: string): string {
  const shown = escapeForTerminal(text)
  if (shown === '') return ''
  if (/[`|]/.test(shown)) return escapeMarkdown(shown)
  return shown.startsWith(' ') || shown.endsWith(' ') ? `\` ${shown} \`` : `\`${shown}\``
}

/** A sentence. It may stand at the beginning of a line. */
export function markdownText(text: string): string {
  return escapeMarkdown(neutralise(text)).replace(
    BEGINNING,
    (_, space: string, sign = '', digits = '', dot = '') =>
      `${space}${sign && reference(sign)}${digits}${dot && reference(dot)}`,
  )
}

function escapeMarkdown(text: string): string {
  return text
    .replace(MARKUP, reference)
    .replace(ADDRESS, char => (char === '@' ? `${reference(char)}${JOINER}` : reference(char)))
}

function reference(char: string): string {
  return `&#${char.charCodeAt(0)};`
}
