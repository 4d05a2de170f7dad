import { shownData, shownSentence } from './html-text.ts'

/**
 * Text that stays text in Markdown. A character reference never begins or ends anything there, in no flavour: it is what every
 * character becomes that could be markup, a link, an image, HTML or the end of a table's cell.
 */
const MARKUP = /[\\`*{}[\]<>#|~&^$]|_(?![A-Za-z0-9])|(?<![A-Za-z0-9])_/g
/** Some flavours make links of bare addresses: behind `://`, behind `www.`, and of everything with an @ in it. */
const ADDRESS = /:(?=\/)|(?<=www)\.|@/gi
/** What begins a list, a heading or a line when it is the first of its line. */
const BEGINNING = /^(\s*)(?:([-+=:])|(\d+)([.)]))/
/** Invisible, and no letter: what stands on its two sides is not one address. */
const JOINER = '&#8288;'

/** Names and values as stores have them: as code, where nothing is markup, unless code itself could end in them. */
export function markdownCode(text: string): string {
  const shown = shownData(text)
  if (shown === '') return ''
  return /[`|]/.test(shown)
    ? escaped(shown)
    : `\`${shown.startsWith(' ') || shown.endsWith(' ') ? ` ${shown} ` : shown}\``
}

/** Sentences. They may stand at the beginning of a line. */
export function markdownText(text: string): string {
  return escaped(shownSentence(text)).replace(
    BEGINNING,
    (_, space: string, sign: string | undefined, digits: string | undefined, dot: string | undefined) =>
      sign === undefined ? `${space}${digits}${reference(dot ?? '')}` : `${space}${reference(sign)}`,
  )
}

function escaped(text: string): string {
  return text
    .replace(MARKUP, reference)
    .replace(ADDRESS, char => (char === '@' ? `${reference(char)}${JOINER}` : reference(char)))
}

function reference(char: string): string {
  return char === '' ? '' : `&#${char.charCodeAt(0)};`
}
