import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parseDuration } from '../../../../shared/filter-syntax.ts'
import { usageError } from './exit.ts'

export type Args = {
  readonly positionals: string[]
  /** A list where an option may be given several times. */
  readonly options: Record<string, string | boolean | string[] | undefined>
}

/** `--help` behind a command. Not an error, but an end. */
export class HelpWanted extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/** Parses strictly; `more` lets the last argument be given several times. Messages name the option and never repeat a value, which may be an address with a password. */
export function parse(
  argv: readonly string[],
  options: Options,
  names: readonly string[],
  optional: readonly string[] | 'more' = [],
): Args {
  let parsed: { positionals: string[]; values: Args['options'] }
  try {
    parsed = parseArgs({
      args: [...argv],
      options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, ...options },
      allowPositionals: true,
    }) as typeof parsed
  } catch (error) {
    const option = /'(-{1,2}[\w-]+)/.exec(String(error))?.[1] ?? 'an option'
    if (/ambiguous/.test(String(error)))
      throw usageError(`${option} needs a value; one that begins with a dash is written as ${option}=VALUE`)
    const missing = /argument missing/.test(String(error))
    throw usageError(missing ? `${option} needs a value` : `${option} is not an option of this command`)
  }
  if (parsed.values['help']) throw new HelpWanted()
  const missing = names[parsed.positionals.length]
  if (missing)
    throw usageError(`The ${missing} is missing; lockkeeper --help shows how each command is called`)
  if (optional !== 'more' && parsed.positionals.length > names.length + optional.length)
    throw usageError(`There are too many arguments; expected ${[...names, ...optional].join(', ') || 'none'}`)
  return { positionals: parsed.positionals, options: parsed.values }
}

export function positiveInteger(value: Args['options'][string], name: string): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1)
    throw usageError(`${name} must be a whole number of at least 1`)
  return number
}

export function portNumber(value: Args['options'][string]): number | undefined {
  if (value === undefined) return undefined
  const port = Number(value)
  if (!/^\d+$/.test(String(value)) || port > 65_535)
    throw usageError('--port must be a number from 0 to 65535')
  return port
}

/** `2h`, `90s`, `1h30m`. */
export function duration(value: Args['options'][string], name: string): number | undefined {
  if (value === undefined) return undefined
  const ms = parseDuration(String(value))
  if (ms === null || ms <= 0) throw usageError(`${name} must be a time such as 90s, 30m, 2h or 1d`)
  return ms
}
