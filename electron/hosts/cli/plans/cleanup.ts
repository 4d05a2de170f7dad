import { parse } from '../lib/args.ts'
import { openStore } from '../lib/connect.ts'
import { CliError, EXIT } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { applyPlan } from './plan-apply.ts'
import { applyOptions, makePlan, showPlan } from './release-all.ts'

/** Past their end and still stored: nobody holds them by their own system's rules. */
const LEFTOVERS = 'state:expired'

/** A plan of the expired leftovers; with its confirmation at hand, applied at once. */
export async function cleanupCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = parse(
    argv,
    {
      plan: { type: 'string' },
      confirm: { type: 'string', multiple: true },
      reason: { type: 'string' },
      rate: { type: 'string' },
    },
    ['store'],
  )
  const isApplied = args.options['confirm'] !== undefined
  const options = isApplied ? applyOptions(args) : null
  const opened = await openStore(io, args.positionals[0] as string)
  // Nobody renews what has ended.
  const unwatched = { ...args, options: { ...args.options, watch: '0' } }
  const plan = await makePlan(opened, LEFTOVERS, unwatched, io).catch(error => {
    if (error instanceof CliError && error.failure.code === 'NOT_FOUND') return null
    throw error
  })
  if (plan === null) {
    await print(io, args.options['json'] ? '{"count":0}' : 'There are no expired leftovers.')
    return EXIT.done
  }
  return options === null
    ? showPlan(opened, plan, args, io)
    : applyPlan(opened.client, plan, { ...options, store: args.positionals[0] }, io)
}
