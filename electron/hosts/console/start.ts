import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { AddressError, fullAddress, parseAddress } from '../../../shared/address.ts'
import { allKinds } from '../../../shared/kinds.ts'
import type { StartOptions } from '../../core/features/stores/stores.ts'
import { suggestStores } from '../../core/stores/kinds/environment.ts'
import { withoutSecrets, withPasswords } from '../start/passwords.ts'
import { StartError } from '../start/start-error.ts'

export type Start = StartOptions & { readonly envFile: string | null }

/**
 * The stores to open and to suggest, from the options and the environment. The window gets them in its environment, because
 * every user of a machine can read the arguments of a process.
 */
export function readStart(
  env: NodeJS.ProcessEnv,
  options: {
    readonly stores?: readonly string[]
    readonly envFile?: string | undefined
    readonly passwordLines?: readonly string[] | null
  } = {},
): Start {
  const file = options.envFile ?? env['LOCKKEEPER_ENV_FILE']
  const variables = { ...(file ? readEnvFile(file) : {}), ...env }
  const listed = (variables['LOCKKEEPER_STORES'] ?? '').split(/\s+/).filter(Boolean)
  for (const [i, text] of listed.entries()) checkListed(text, i + 1)
  const stores = [...(options.stores ?? []), ...listed]
  return {
    stores: withPasswords(stores, variables, options.passwordLines).map(fullAddress),
    suggestions: suggestStores(variables),
    practice: true,
    envFile: file ? resolve(file) : null,
  }
}

/** Names an invalid address by its place: its text may have a password. */
function checkListed(text: string, place: number): void {
  try {
    parseAddress(text)
  } catch (error) {
    const prefixes = allKinds().flatMap(({ address }) => address.schemes.map(({ prefix }) => prefix))
    const prefix = prefixes.find(each => text.toLowerCase().startsWith(each))
    const kind = prefix === undefined ? '' : ` (${prefix})`
    const why = error instanceof AddressError ? `: ${error.message}` : ''
    throw new StartError(`Address ${place} of LOCKKEEPER_STORES${kind} is not valid${why}`)
  }
}

/** The environment that gives another process the same start. */
export function startEnvironment(env: NodeJS.ProcessEnv, start: Start): NodeJS.ProcessEnv {
  return {
    ...withoutSecrets(env),
    // Each address has its password.
    LOCKKEEPER_STORES: start.stores.join(' '),
    // Above that of the environment file.
    LOCKKEEPER_PASSWORD: '',
    ...(start.envFile === null ? {} : { LOCKKEEPER_ENV_FILE: start.envFile }),
  }
}

function readEnvFile(file: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string | undefined>
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(`The environment file cannot be read (${code ?? 'invalid'})`)
  }
}
