import { AddressError, hasPassword } from '../../../shared/address.ts'
import type { Failure } from '../../../shared/result.ts'
import { neutralise, safeJson } from '../../../shared/safe-text.ts'
import { NotBuilt } from '../http/static-files.ts'
import { StartError } from '../start/start-error.ts'
import { COMMANDS } from './commands.ts'
import { helpFor, helpForAll } from './help.ts'
import { addressesIn, didYouMean, parse } from './lib/args.ts'
import { CliError, EXIT, exitCodeOf, usageError } from './lib/exit.ts'
import { type Io, print, warn } from './lib/io.ts'
import { readPasswordLines } from './lib/password-stdin.ts'
import { withTimeLimit } from './lib/time-limit.ts'

/** Runs one command and returns its exit code. Every error ends here: one sentence, and JSON where it was asked for. */
export async function runCli(argv: readonly string[], host: Omit<Io, 'passwordLines'>): Promise<number> {
  const io: Io = { ...host, passwordLines: readPasswordLines(host, argv.includes('--password-stdin')) }
  const [name, ...rest] = argv
  const command = COMMANDS.find(each => each.name === name)
  try {
    const addresses = command === undefined ? argv : addressesIn(command.usage, rest)
    if (addresses.some(hasPassword)) throw usageError(PASSWORD_SHOWN)
    if (name === undefined || ['help', '--help', '-h'].includes(name)) {
      const topic = COMMANDS.find(each => each.name === rest[0])
      await print(io, topic === undefined ? helpForAll() : helpFor(topic))
      return name === undefined ? EXIT.usage : EXIT.done
    }
    if (command === undefined) throw usageError(unknownCommand(name))
    const args = parse(name, command.usage, rest)
    if (args !== null) return await withTimeLimit(args, io, () => command.run(args, io))
    await print(io, helpFor(command))
    return EXIT.done
  } catch (error) {
    const failure = failureOf(error)
    warn(io, neutralise(failure.message))
    if (argv.includes('--json')) await print(io, safeJson({ error: failure }))
    return exitCodeOf(failure)
  }
}

const PASSWORD_SHOWN =
  'An argument contains a password, which every user of this machine could read. Nothing was contacted: leave it out of the address, and set LOCKKEEPER_PASSWORD, add --password-stdin or enter it when asked. A console also takes addresses with passwords in LOCKKEEPER_STORES, and can keep them in the keyring'

/** Quotes the word only if it cannot be an address, which may contain a password. */
function unknownCommand(name: string): string {
  const word = /^[\w-]{1,20}$/.test(name) ? ` "${name}"` : ''
  const names = COMMANDS.map(each => each.name)
  return `Unknown command${word}.${didYouMean(name, names) ?? ` Commands are ${names.join(', ')}.`}`
}

function failureOf(error: unknown): Failure {
  if (error instanceof CliError) return error.failure
  if (error instanceof AddressError || error instanceof StartError)
    return { code: 'BAD_INPUT', message: error.message }
  if (error instanceof NotBuilt) return { code: 'INTERNAL', message: error.message }
  return { code: 'INTERNAL', message: 'Unexpected error inside Lockkeeper' }
}
