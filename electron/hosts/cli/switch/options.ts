import { extname, resolve } from 'node:path'
import { HOUR_MS } from '../../../../shared/duration.ts'
import { SWITCH_STEPS, type SwitchRun } from '../../../../shared/switch.ts'
import { shellQuote } from '../../../core/lib/shell-quote.ts'
import { type Args, duration, oneOf, requireReason } from '../lib/args.ts'
import { usageError } from '../lib/exit.ts'

const SHORTEST_QUIET_MS = 1000
const LONGEST_QUIET_MS = HOUR_MS
const REPORTS = ['md', 'html', 'json'] as const

const switchStep = oneOf(SWITCH_STEPS)

export type SwitchOptions = ReturnType<typeof switchOptions>

export function switchOptions({ options }: Args) {
  const { clean = null, pass = [], back, report = null, json = false } = options
  const { 'env-file': envFile, 'change-env': mayChangeEnv = false } = options
  const byHand = pass.map(step => switchStep(step, '--pass'))
  const isDecided = byHand.length > 0 || clean !== null
  if (mayChangeEnv && envFile === undefined)
    throw usageError('--change-env needs --env-file FILE, the file that is changed')
  if (report !== null) reportFormat(report)
  return {
    envFile: envFile === undefined ? null : resolve(envFile),
    mayChangeEnv,
    /** The confirmation of the plan that cleans the old store, if given in advance. */
    clean,
    reason: isDecided ? requireReason(options.reason) : null,
    /** Steps to pass without their check, for the given reason. */
    byHand,
    back: switchStep(back, '--back') ?? null,
    quietMs: quietFrom(options.quiet),
    report,
    json,
  }
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

function quietFrom(value: string | undefined): number | undefined {
  const ms = duration(value, '--quiet')
  if (ms !== undefined && (ms < SHORTEST_QUIET_MS || ms > LONGEST_QUIET_MS))
    throw usageError('--quiet must be 1s to 1h')
  return ms
}
