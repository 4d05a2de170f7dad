import { AddressError } from '../../../shared/address.ts'
import { neutralise, safeJson } from '../../../shared/safe-text.ts'
import { auditCommand } from './audit.ts'
import { consoleCommand } from './console.ts'
import { HELP, helpFor } from './help.ts'
import { holdCommand } from './holds/hold.ts'
import { holdsCommand, unholdCommand } from './holds/holds.ts'
import { HelpWanted } from './lib/args.ts'
import { CliError, EXIT, exitCodeOf, usageError } from './lib/exit.ts'
import { type Io, print } from './lib/io.ts'
import { formatsCommand } from './locks/formats.ts'
import { inspectCommand } from './locks/inspect.ts'
import { listCommand } from './locks/list.ts'
import { releaseCommand } from './locks/release.ts'
import { watchCommand } from './locks/watch.ts'
import { metricsCommand } from './metrics.ts'
import { cleanupCommand, releaseAllCommand, undoCommand } from './plans/plans.ts'
import { exportCommand } from './reports.ts'
import { statsCommand } from './stats/stats.ts'
import { switchCommand } from './switch/switch.ts'

const COMMANDS: Record<string, (argv: readonly string[], io: Io) => Promise<number>> = {
  list: listCommand,
  inspect: inspectCommand,
  release: releaseCommand,
  'release-all': releaseAllCommand,
  cleanup: cleanupCommand,
  undo: undoCommand,
  hold: holdCommand,
  holds: holdsCommand,
  unhold: unholdCommand,
  watch: watchCommand,
  stats: statsCommand,
  metrics: metricsCommand,
  audit: auditCommand,
  export: exportCommand,
  switch: switchCommand,
  formats: formatsCommand,
  console: consoleCommand,
}

/** Runs one command and returns its exit code. Every error ends here: one sentence, and JSON where it was asked for. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  try {
    if (name === undefined || ['help', '--help', '-h'].includes(name)) {
      const [command = ''] = rest
      await print(io, Object.hasOwn(COMMANDS, command) ? helpFor(command) : HELP)
      return name === undefined ? EXIT.usage : EXIT.done
    }
    if (!Object.hasOwn(COMMANDS, name)) {
      throw usageError(`There is no such command; there are ${Object.keys(COMMANDS).join(', ')}`)
    }
    return await (COMMANDS[name] as (typeof COMMANDS)[string])(rest, io)
  } catch (error) {
    if (error instanceof HelpWanted) {
      await print(io, helpFor(name ?? ''))
      return EXIT.done
    }
    const failure =
      error instanceof CliError
        ? error.failure
        : error instanceof AddressError
          ? { code: 'BAD_INPUT' as const, message: error.message }
          : { code: 'INTERNAL' as const, message: 'Something unexpected went wrong inside Lockkeeper' }
    io.stderr.write(`lockkeeper: ${neutralise(failure.message)}\n`)
    if (argv.includes('--json')) await print(io, safeJson({ error: failure }))
    return exitCodeOf(failure)
  }
}
