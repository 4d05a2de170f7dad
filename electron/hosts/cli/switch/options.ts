import { extname, resolve } from 'node:path'
import { HOUR_MS } from '../../../../shared/duration.ts'
import { SWITCH_STEPS, type SwitchRun, type SwitchStep } from '../../../../shared/switch.ts'
import { shellQuote } from '../../../core/lib/shell-quote.ts'
import { type Args, duration } from '../lib/args.ts'
import { usageError } from '../lib/exit.ts'

const SHORTEST_QUIET_MS = 1000
const LONGEST_QUIET_MS = HOUR_MS
const REPORTS = ['md', 'html', 'json'] as const

export type SwitchOptions = ReturnType<typeof switchOptions>

export function switchOptions({ options }: Args) {
  const { clean, pass, back } = options
  const envFile = textOf(options['env-file'])
  const mayChangeEnv = options['change-env'] === true
  const reason = textOf(options['reason'])?.trim() || null
  const report = textOf(options['report'])
  const byHand = [pass ?? []].flat().map(step => stepFrom(step, '--pass'))
  if ((byHand.length > 0 || clean !== undefined) && reason === null) throw missingReason()
  if (mayChangeEnv && envFile === null)
    throw usageError('--change-env needs --env-file FILE, the file that is changed')
  if (report !== null) reportFormat(report)
  return {
    envFile: envFile === null ? null : resolve(envFile),
    mayChangeEnv,
    /** The confirmation of the plan that cleans the old store, if given in advance. */
    clean: textOf(clean),
    reason,
    /** Steps to pass without their check, for the given reason. */
    byHand,
    back: back === undefined ? null : stepFrom(back, '--back'),
    quietMs: quietFrom(options['quiet']),
    report,
    json: options['json'] === true,
  }
}

export function missingReason(): Error {
  return usageError('A reason is missing: say --reason TEXT, which goes into the audit log')
}

export function reportFormat(file: string): (typeof REPORTS)[number] {
  const as = REPORTS.find(each => each === extname(file).slice(1).toLowerCase())
  if (!as) throw usageError(`--report must name a file that ends with .${REPORTS.join(', .')}`)
  return as
}

/** The command that continues the switch, without passwords. The operator replaces the TEXT in it. */
export function commandToContinue(
  { from, to }: SwitchRun,
  options: SwitchOptions,
  flags: readonly string[],
): string {
  const words = ['switch', from.address, to.address]
  if (options.envFile !== null && !flags.includes('--env-file')) words.push('--env-file', options.envFile)
  if (options.mayChangeEnv) words.push('--change-env')
  if (options.report !== null) words.push('--report', options.report)
  return ['lockkeeper', ...[...words, ...flags].map(word => shellQuote(word))].join(' ')
}

type OptionValue = Args['options'][string]

function textOf(value: OptionValue): string | null {
  return typeof value === 'string' ? value : null
}

function stepFrom(value: OptionValue, name: string): SwitchStep {
  const step = SWITCH_STEPS.find(each => each === value)
  if (step === undefined) throw usageError(`${name} must be one of ${SWITCH_STEPS.join(', ')}`)
  return step
}

function quietFrom(value: OptionValue): number | undefined {
  const ms = duration(value, '--quiet')
  if (ms !== undefined && (ms < SHORTEST_QUIET_MS || ms > LONGEST_QUIET_MS))
    throw usageError('--quiet must be 1s to 1h')
  return ms
}
