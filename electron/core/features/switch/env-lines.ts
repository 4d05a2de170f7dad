import type { EnvPreview } from '../../../../shared/switch.ts'

export type EnvText = ReturnType<typeof readEnv>
type Place = NonNullable<ReturnType<typeof placeIn>>

const LINES = /(?<=\r\n|\n|\r(?!\n))/
const ENDING = /[\r\n]+$/
/** Some programs also read `NAME: value`, as in YAML. */
const ASSIGNMENT = /^(\uFEFF?[ \t]*(?:export[ \t]+)?)([\w.-]+)([ \t]*=[ \t]*|:[ \t]+)/
/** To a shell, and to systemd, the next line belongs to this one. */
const GOES_ON = /\\$/
/**
 * A provider's name, perhaps in quotes, and at most a comment after it. Anything else may be the value to one program and another
 * setting, or a secret, to another program: it must be neither shown as the value nor replaced.
 */
const PLAIN = /^([ \t]*)(["'`]?)([\w.-]*)\2(?:[ \t]+#.*|[ \t]*)$/
/** A single value, which contains no other setting: in quotes, or without blanks and shell characters. */
const ONE_VALUE = /^[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^\s"'`;&|()<>\\]*)(?:[ \t]+#.*|[ \t]*)$/
const COMMENT = /^\uFEFF?[ \t]*(?:#.*)?$/
/** Exports names without setting their values. */
const ONLY_EXPORTED = /^\uFEFF?[ \t]*export(?:[ \t]+\w+)+[ \t]*(?:#.*)?$/

/**
 * Reads a settings file as programs do: `NAME=value`, perhaps exported, quoted, or followed by a comment. `lines` keep their endings;
 * of the `places`, programs take the last; `unclear` lines name the variable in a way that is not certain; `openEnd` is the last line
 * if an added line would belong to it.
 */
export function readEnv(text: string, name: string) {
  const lines = text === '' ? [] : text.split(LINES)
  const names = mentionOf(name)
  const places: Place[] = []
  const unclear: number[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = bare(lines[i])
    const found = ASSIGNMENT.exec(line)
    const rest = line.slice(found?.[0].length ?? 0)
    const until = found ? endOfQuotes(lines, i, rest) : { line: i, after: '' }
    if (found?.[2] === name) {
      const isAlone =
        until.line === i &&
        found[3]?.includes('=') &&
        !GOES_ON.test(line) &&
        !GOES_ON.test(bare(lines[i - 1]))
      const place = isAlone ? placeIn(line, found[0], i + 1) : null
      if (place) places.push(place)
      else unclear.push(i + 1)
    } else if (until.line > i) {
      if (!COMMENT.test(until.after) && names.test(until.after)) unclear.push(until.line + 1)
    } else if (!isHarmless(line, found && afterSign(line, found[0])) && names.test(line)) unclear.push(i + 1)
    // The lines inside a multi-line value are no settings.
    i = until.line
  }
  return { lines, places, unclear, openEnd: GOES_ON.test(bare(lines.at(-1))) ? lines.length : null }
}

/** Whether a line that contains the name does not set the variable. `value` is the value of another variable. */
function isHarmless(line: string, value: string | null): boolean {
  if (value !== null) return ONE_VALUE.test(value)
  return COMMENT.test(line) || ONLY_EXPORTED.test(line)
}

/** With the blanks before the value: they tell a comment from a value that starts with `#`. */
function afterSign(line: string, head: string): string {
  return line.slice(head.trimEnd().length)
}

/** The name as a whole word. `$NAME` sets nothing; `${NAME:=value}` does. */
function mentionOf(name: string): RegExp {
  return new RegExp(`(?<![\\w.$-])${name.replace(/[.-]/g, '\\$&')}(?!\\w)`)
}

/** Without its ending. */
function bare(line: string | undefined): string {
  return (line ?? '').replace(ENDING, '')
}

/** The text with another value, and the lines that change. */
export function changeEnv(
  { lines, places }: EnvText,
  name: string,
  wanted: string,
): { readonly text: string; readonly lines: EnvPreview['lines'] } {
  const changed = [...lines]
  const changes: EnvPreview['lines'] = []
  for (const { line, text, value, from, to } of places) {
    if (value === wanted) continue
    const after = text.slice(0, from) + wanted + text.slice(to)
    changed[line - 1] = after + (lines[line - 1] ?? '').slice(text.length)
    changes.push({ line, before: withoutMark(text), after: withoutMark(after) })
  }
  if (places.length > 0) return { text: changed.join(''), lines: changes }
  const newline = /\r\n|\n|\r/.exec(lines.join(''))?.[0] ?? '\n'
  const last = lines.at(-1) ?? ''
  const isOpen = last.replace('\uFEFF', '') !== '' && !ENDING.test(last)
  const after = `${name}=${wanted}`
  return {
    text: `${lines.join('')}${isOpen ? newline : ''}${after}${newline}`,
    lines: [{ line: lines.length + (last === '\uFEFF' ? 0 : 1), before: null, after }],
  }
}

/** A line that sets the variable, counted from 1, and where its value is in it, without quotes. */
function placeIn(text: string, head: string, line: number) {
  const rest = afterSign(text, head)
  const found = PLAIN.exec(rest)
  if (!found) return null
  const [, blanks = '', quote = '', value = ''] = found
  // An empty value starts right after the sign, before blanks and a comment.
  const isEmpty = quote === '' && value === ''
  const from = text.length - rest.length + (isEmpty ? 0 : blanks.length + quote.length)
  return { line, text, value, from, to: from + value.length }
}

/** The line where a quoted value ends, and the text after it there. Unclosed quotes do not count. */
function endOfQuotes(
  lines: readonly string[],
  start: number,
  rest: string,
): { readonly line: number; readonly after: string } {
  const quote = /^["'`]/.exec(rest)?.[0]
  const here = { line: start, after: '' }
  if (quote === undefined) return here
  const partsOf = (text: string) => text.replace(/\\./g, '').split(quote)
  const closes = (text: string) => partsOf(text).length > 1
  if (closes(rest.slice(1))) return here
  const line = lines.findIndex((each, i) => i > start && closes(each))
  return line < 0 ? here : { line, after: partsOf(bare(lines[line])).slice(1).join(quote) }
}

/** Without the byte order mark. */
function withoutMark(text: string): string {
  return text.replace('\uFEFF', '')
}
