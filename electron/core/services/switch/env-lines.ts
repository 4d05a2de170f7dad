import type { EnvPreview } from '../../../../shared/provider-switch.ts'

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
}

const LINES = /(?<=\r\n|\n|\r(?!\n))/
const ENDING = /[\r\n]+$/
/** Some programs also read `NAME: value`, as in YAML. */
const ASSIGNMENT = /^(\uFEFF?[ \t]*(?:export[ \t]+)?)([\w.-]+)([ \t]*=[ \t]*|:[ \t]+)/
/** To a shell, and to systemd, the next line belongs to this one. */
const GOES_ON = /\\$/

/** Reads a file of settings as programs do: `NAME=value`, perhaps exported, quoted, or with a comment behind it. */
export function readEnv(text: string, name: string): EnvText {
  const lines = text === '' ? [] : text.split(LINES)
  const places: Place[] = []
  const unclear: number[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = (lines[i] ?? '').replace(ENDING, '')
    const found = ASSIGNMENT.exec(line)
    if (!found) continue
    const until = endOfQuotes(lines, i, line.slice(found[0].length))
    if (found[2] === name) {
      const isPlain = until === i && found[3]?.includes('=') && !GOES_ON.test(line) && !goesOn(lines[i - 1])
      const place = isPlain ? placeIn(line, found[0], i + 1) : null
      if (place) places.push(place)
      else unclear.push(i + 1)
    }
    // What stands inside of a value that goes over several lines is no line of its own.
    i = until
  }
  return { lines, places, unclear }
}

function goesOn(line: string | undefined): boolean {
  return line !== undefined && GOES_ON.test(line.replace(ENDING, ''))
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
  const rest = text.slice(head.length)
  const quoted = /^(["'`])(.*?)\1[ \t]*(?:#.*)?$/.exec(rest)
  if (quoted) {
    const value = quoted[2] ?? ''
    // An escape in it would make another value of it than the one that is read here.
    if (value.includes('\\')) return null
    return { line, text, value, from: head.length + 1, to: head.length + 1 + value.length }
  }
  if (/^["'`]/.test(rest)) return null
  const value = (/^[^#]*/.exec(rest)?.[0] ?? '').trimEnd()
  // Nothing but perhaps a comment: the value belongs right behind the sign, and what follows stays behind it.
  const from = value === '' ? text.indexOf('=', text.search(/[\w.-]/)) + 1 : head.length
  return { line, text, value, from, to: from + value.length }
}

/** The line in which a value that begins in quotes ends. Quotes that are never closed are none. */
function endOfQuotes(lines: readonly string[], start: number, rest: string): number {
  const quote = /^["'`]/.exec(rest)?.[0]
  if (quote === undefined) return start
  const closes = (text: string) => text.replace(/\\./g, '').includes(quote)
  if (closes(rest.slice(1))) return start
  const more = lines.slice(start + 1).findIndex(closes)
  return more < 0 ? start : start + 1 + more
}

/** A mark at the beginning of a file is no part of what it says. */
function withoutMark(text: string): string {
  return text.replace('\uFEFF', '')
}
