import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parseDuration } from '../../../../shared/duration.ts'
import { LOCK_STATES } from '../../../../shared/locks.ts'
import { rateSchema } from '../../../../shared/plans.ts'
import { usageError } from './exit.ts'

type Flag =
  | ('json' | 'once' | 'verify' | 'with-tokens' | 'change-env' | 'list' | 'web' | 'new')
  | ('accept-file' | 'password-stdin')

/** Options with a value, of locks, plans, holds, reports, switches, servers, the audit log and keys. */
type Text =
  | ('state' | 'owner' | 'limit' | 'fence' | 'reason')
  | ('plan' | 'apply' | 'key' | 'filter' | 'watch' | 'rate')
  | ('for' | 'wait' | 'format' | 'extend')
  | ('as' | 'out' | 'since' | 'until' | 'title')
  | ('env-file' | 'quiet' | 'report' | 'clean' | 'back' | 'abandon')
  | ('port' | 'keys' | 'interval' | 'timeout')
  | ('head' | 'anchor')
  | ('trust' | 'forget')

/** The options of all commands; `confirm` is a list where the usage lets it be repeated. */
type Options = { readonly [name in Flag]?: boolean } & { readonly [name in Text]?: string } & {
  readonly pass?: readonly string[]
  readonly store?: readonly string[]
  readonly confirm?: string | readonly string[]
}

export type Args = { readonly positionals: string[]; readonly options: Options }

type ParsedOptions = NonNullable<ParseArgsConfig['options']>

const OPTION = /--([\w-]+)(?: ("[^"]*"|<[^>]*>|[^\s[\]-][^\s\]]*?)(?=\.\.\.|[\s\]]|$))?(\]?\.\.\.)?/g
const POSITIONAL = /(\[)?(<[^>]+>|\b[A-Z]+\b)\]?(\.\.\.)?/g

/**
 * Parses the arguments of a command by its usage, which is also its help: `<store>... [TEXT] --fence F [--pass STEP]... [--json]`.
 * A second line of usage that begins with an option counts where that option is given. Null for `--help`. Messages name the
 * option and never repeat a value, which may be an address with a password.
 */
export function parse(command: string, usage: readonly string[], argv: readonly string[]): Args | null {
  const { positionals, values, expected } = read(usage, argv)
  if (values['help']) return null
  const missing = expected[positionals.length]
  if (missing && !missing[1])
    throw usageError(`Missing ${missing[2]}; "lockkeeper ${command} --help" shows the usage`)
  if (positionals.length > expected.length && !expected.at(-1)?.[3])
    throw usageError(`Too many arguments; expected ${expected.map(each => each[2]).join(' ') || 'none'}`)
  return { positionals, options: values }
}

/**
 * The arguments that are addresses of stores, or may be meant as such. A key, a reason or a filter is none, whatever it looks like.
 * Of a command that is not understood any argument may be one.
 */
export function addressesIn(usage: readonly string[], argv: readonly string[]): readonly string[] {
  try {
    const { positionals, values, expected } = read(usage, argv)
    const last = expected.at(-1)
    const stores = positionals.filter((_, i) => {
      const place = expected[i] ?? (last?.[3] && last)
      return !place || /^<(store|from|to)>$/.test(place[2] ?? '')
    })
    return [...stores, ...((values['store'] ?? []) as string[])]
  } catch {
    return argv
  }
}

/** The arguments, and the positionals that the form of the command has. */
function read(usage: readonly string[], argv: readonly string[]) {
  const options = optionsOf(usage)
  let parsed: { positionals: string[]; values: Record<string, unknown> }
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true }) as typeof parsed
  } catch (error) {
    throw usageError(optionProblem(String(error), Object.keys(options)))
  }
  const { values } = parsed
  const form = usage.find(each => values[/^--([\w-]+)/.exec(each)?.[1] ?? ''] !== undefined) ?? usage[0] ?? ''
  return { ...parsed, expected: [...form.replace(OPTION, '').matchAll(POSITIONAL)] }
}

function optionsOf(usage: readonly string[]): ParsedOptions {
  const options: ParsedOptions = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }
  for (const [, name = '', value, repeats] of usage.join('\n').matchAll(OPTION)) {
    const multiple = repeats !== undefined || options[name]?.multiple === true
    options[name] = value === undefined ? { type: 'boolean' } : { type: 'string', multiple }
  }
  return { ...options, timeout: { type: 'string' }, 'password-stdin': { type: 'boolean' } }
}

function optionProblem(error: string, known: readonly string[]): string {
  const option = /'(-{1,2}[\w-]+)/.exec(error)?.[1] ?? 'An option'
  if (/ambiguous/.test(error))
    return `${option} needs a value; write ${option}=VALUE if it starts with a dash`
  if (/argument missing/.test(error)) return `${option} needs a value`
  if (/does not take an argument/.test(error)) return `${option} takes no value`
  const flags = known.map(name => `--${name}`)
  return `Unknown option ${option}.${didYouMean(option, flags) ?? ` Options are ${flags.join(', ')}.`}`
}

/** The known word that a mistyped one is nearest to; null if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map(each => ({ each, distance: distance(word, each) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.floor(each.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return nearest === undefined ? null : ` Did you mean "${nearest.each}"?`
}

/** How many letters have to be added, removed or replaced. */
function distance(from: string, to: string): number {
  let row = [...to, ''].map((_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      )
    row = next
  }
  return row.at(-1) ?? 0
}

/** The reason for a change that core records. */
export function requireReason(reason: string | undefined): string {
  const given = reason?.trim()
  if (!given) throw usageError('A reason is missing: add --reason TEXT for the audit log')
  return given
}

/** A reader of an option that may be left out. `read` returns null for a value that is not `expected`. */
export function reader<T>(expected: string, read: (text: string) => T | null) {
  return <V extends string | undefined>(value: V, name: string): T | Extract<V, undefined> => {
    if (value === undefined) return value as Extract<V, undefined>
    const result = read(value)
    if (result === null) throw usageError(`${name} must be ${expected}`)
    return result
  }
}

export function oneOf<T extends string>(all: readonly T[]) {
  return reader(`one of ${all.join(', ')}`, text => all.find(each => each === text) ?? null)
}

export const lockState = oneOf(LOCK_STATES)

export const positiveInteger = reader('a whole number of at least 1', text => {
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= 1 ? number : null
})

export const portNumber = reader('a number from 0 to 65535', text =>
  /^\d+$/.test(text) && Number(text) <= 65_535 ? Number(text) : null,
)

/** Milliseconds between two reads, of a number of seconds. */
export const interval = reader('0.1 to 60 seconds', text =>
  Number(text) >= 0.1 && Number(text) <= 60 ? Math.round(Number(text) * 1000) : null,
)

/** The rate of a plan. */
export const locksPerSecond = reader(
  '0.1 to 100000 locks per second',
  text => rateSchema.safeParse(Number(text)).data ?? null,
)

/** `2h`, `90s`, `1h30m`. */
export const duration = reader('a time such as 90s, 30m, 2h or 1d', text => parseDuration(text) || null)
