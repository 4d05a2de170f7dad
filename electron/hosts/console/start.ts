import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { parseAddress } from '../../../shared/address.ts'
import type { StartOptions } from '../../core/features/stores/stores.ts'
import { suggestStores } from '../../core/stores/kinds/environment.ts'

/** The environment file cannot be read. The message quotes nothing from it. */
export class StartError extends Error {}

export type Start = StartOptions & { readonly envFile: string | null }

/**
 * The stores to open and to suggest, from the options and the environment. The window gets them in its environment, because
 * every user of a machine can read the arguments of a process.
 */
export function readStart(
  env: NodeJS.ProcessEnv,
  options: { readonly stores?: readonly string[]; readonly envFile?: string | undefined } = {},
): Start {
  const file = options.envFile ?? env['LOCKKEEPER_ENV_FILE']
  const variables = { ...(file ? readEnvFile(file) : {}), ...env }
  const stores = [
    ...(options.stores ?? []),
    ...(variables['LOCKKEEPER_STORES'] ?? '').split(/\s+/).filter(Boolean),
  ]
  for (const address of stores) parseAddress(address)
  const password = variables['LOCKKEEPER_PASSWORD']
  return {
    stores,
    ...(password === undefined ? {} : { password }),
    suggestions: suggestStores(variables),
    practice: true,
    envFile: file ? resolve(file) : null,
  }
}

/** The environment that gives another process the same start. */
export function startEnvironment(env: NodeJS.ProcessEnv, start: Start): NodeJS.ProcessEnv {
  return {
    ...env,
    // Spaces separate addresses, so those within an address are encoded.
    LOCKKEEPER_STORES: start.stores
      .map(address => address.replace(/\s/g, char => encodeURIComponent(char)))
      .join(' '),
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
