import type { EnvPreview } from '../../../../shared/switch.ts'

/** A line that says what a variable is. What stands around the value stays as it is when that changes. */
type Place = {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly value: string
  /** Where the value begins and ends in the line, quotes left out. */
  readonly from: number
  readonly to: number
}

export type EnvText = {
  /** Whole lines with their endings; together they are the text. */
  readonly lines: readonly string[]
  /** All that count, in order; of several, programs take the last. */
  readonly places: readonly Place[]
  /** Lines that name the variable and that nobody could be sure about. */
  readonly unclear: readonly number[]
  /** The last line, if what is added behind it would belong to it; null otherwise. */
  readonly openEnd: number | null
}

const LINES = /(?<=\r\n|\n|\r(?!\n))/
const ENDING = /[\r\n]+$/
/** Some programs also read `NAME: value`, as in YAML. */
const ASSIGNMENT = /^(\uFEFF?[ \t]*(?:export[ \t]+)?)([\w.-]+)([ \t]*=[ \t]*|:[ \t]+)/
/** To a shell, and to systemd, the next line belongs to this one. */
const GOES_ON = /\\$/
/**
 * All that a value of ours ever is, perhaps in quotes, and behind it nothing but a comment. Whatever else is there may be the value to
 * one program and a further setting, or a secret, to another: it must be neither told as the value nor replaced.
 */
const PLAIN = /^([ \t]*)(["'`]?)([\w.-]*)\2(?:[ \t]+#.*|[ \t]*)$/
/** One value of whatever kind, so that nothing in it is a setting of its own: in quotes, or without blanks and signs of a shell. */
const ONE_VALUE = /^[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^\s"'`;&|()<>\\]*)(?:[ \t]+#.*|[ \t]*)$/
const COMMENT = /^\uFEFF?[ \t]*(?:#.*)?$/
/** Gives names to programs and says nothing of their values. */
const ONLY_EXPORTED = /^\uFEFF?[ \t]*export(?:[ \t]+\w+)+[ \t]*(?:#.*)?$/

/** Reads a file of settings as programs do: `NAME=value`, perhaps exported, quoted, or with a comment behind it. */
export function readEnv(text: string, name: string): EnvText {
  const lines = text === '' ? [] : text.split(LINES)
  const names = mentionOf(name)
  const places: Place[] = []
  const unclear: number[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = bare(lines[i])
    const found = ASSIGNMENT.exec(line)
    const rest = line.slice(found?.[0].length ?? 0)
    const until = found ? endOfQuotes(lines, i, rest) : { line: i, behind: '' }
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
      if (!COMMENT.test(until.behind) && names.test(until.behind)) unclear.push(until.line + 1)
    } else if (!isHarmless(line, found && behindSign(line, found[0])) && names.test(line)) unclear.push(i + 1)
    // What stands inside of a value that goes over several lines is no line of its own.
    i = until.line
  }
  return { lines, places, unclear, openEnd: GOES_ON.test(bare(lines.at(-1))) ? lines.length : null }
}

/** Whether a line says nothing of our variable even if its name is in it. `value` is what another variable is said to be. */
function isHarmless(line: string, value: string | null): boolean {
  if (value !== null) return ONE_VALUE.test(value)
  return COMMENT.test(line) || ONLY_EXPORTED.test(line)
}

/** With the blanks before the value: they tell a comment from a value that begins with its sign. */
function behindSign(line: string, head: string): string {
  return line.slice(head.trimEnd().length)
}

/** As a word of its own. To ask for its value (`$NAME`) sets nothing; `${NAME:=value}` does. */
function mentionOf(name: string): RegExp {
  return new RegExp(`(?<![\\w.$-])${name.replace(/[.-]/g, '\\$&')}(?!\\w)`)
}

/** Without its ending. */
function bare(line: string | undefined): string {
  return (line ?? '').replace(ENDING, '')
}

/** The same text with another value, and which lines of it are others. What has the value already stays. */
export function changeEnv(
  { lines, places }: EnvText,
  name: string,
  wanted: string,
): { readonly text: string; readonly lines: EnvPreview['lines'] } {
  const changed = [...lines]
  const told: EnvPreview['lines'] = []
  for (const { line, text, value, from, to } of places) {
    if (value === wanted) continue
    const after = text.slice(0, from) + wanted + text.slice(to)
    changed[line - 1] = after + (lines[line - 1] ?? '').slice(text.length)
    told.push({ line, before: withoutMark(text), after: withoutMark(after) })
  }
  if (places.length > 0) return { text: changed.join(''), lines: told }
  const newline = /\r\n|\n|\r/.exec(lines.join(''))?.[0] ?? '\n'
  const last = lines.at(-1) ?? ''
  const isOpen = last.replace('\uFEFF', '') !== '' && !ENDING.test(last)
  const after = `${name}=${wanted}`
  return {
    text: `${lines.join('')}${isOpen ? newline : ''}${after}${newline}`,
    lines: [{ line: lines.length + (last === '\uFEFF' ? 0 : 1), before: null, after }],
  }
}

function placeIn(text: string, head: string, line: number): Place | null {
  const rest = behindSign(text, head)
  const found = PLAIN.exec(rest)
  if (!found) return null
  const [, blanks = '', quote = '', value = ''] = found
  // Nothing but perhaps a comment: the value belongs right behind the sign, and what follows stays behind it.
  const isEmpty = quote === '' && value === ''
  const from = text.length - rest.length + (isEmpty ? 0 : blanks.length + quote.length)
  return { line, text, value, from, to: from + value.length }
}

/** The line in which a value that begins in quotes ends, and what is behind it there. Quotes that are never closed are none. */
function endOfQuotes(
  lines: readonly string[],
  start: number,
  rest: string,
): { readonly line: number; readonly behind: string } {
  const quote = /^["'`]/.exec(rest)?.[0]
  const here = { line: start, behind: '' }
  if (quote === undefined) return here
  const behind = (text: string) => text.replace(/\\./g, '').split(quote).slice(1).join(quote)
  const closes = (text: string) => text.replace(/\\./g, '').includes(quote)
  if (closes(rest.slice(1))) return here
  const more = lines.slice(start + 1).findIndex(closes)
  return more < 0 ? here : { line: start + 1 + more, behind: behind(bare(lines[start + 1 + more])) }
}

/** A mark at the beginning of a file is no part of what it says. */
function withoutMark(text: string): string {
  return text.replace('\uFEFF', '')
}
