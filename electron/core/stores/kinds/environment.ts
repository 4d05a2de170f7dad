import { isDeepStrictEqual } from 'node:util'
import { parseAddress, type StoreAddress, shortName, showAddress } from '../../../../shared/address.ts'
import { clip, neutralise } from '../../../../shared/safe-text.ts'
import type { Suggestion } from '../../../../shared/stores.ts'
import type { EnvironmentSource } from '../kind.ts'
import { type Env, Variables } from '../variables.ts'
import { registeredKinds } from './kinds.ts'

/** A suggestion with what only core may know. */
export type ReadySuggestion = Suggestion & { readonly password: string | null }

/** The connections that an application's variables describe. Broken ones are left out unreported: any variable may be a secret. */
export function suggestStores(env: Env): ReadySuggestion[] {
  const byAddress = new Map<string, ReadySuggestion>()
  for (const source of registeredKinds().flatMap(({ environment }) => environment)) {
    const next = suggestionFrom(source, env)
    if (next === null) continue
    const same = byAddress.get(next.address)
    byAddress.set(next.address, same ? mergeSuggestions(same, next) : next)
  }
  const suggestions = [...byAddress.values()]
  const current = currentOf(suggestions, env)
  return suggestions.map(each => ({ ...each, current: each === current }))
}

function suggestionFrom({ suggestionId, read }: EnvironmentSource, env: Env): ReadySuggestion | null {
  const variables = new Variables(env)
  try {
    const address = read(variables)
    if (address === null) return null
    const shown = showAddress(address)
    // A host variable with more than a host in it would be parsed as something else.
    if (shown.length > 4096 || !isDeepStrictEqual(parseAddress(shown), { ...address, password: null }))
      return null
    return {
      suggestionId,
      name: nameOf(address),
      address: shown,
      kind: address.kind,
      variables: variables.used,
      current: false,
      hasPassword: address.password !== null,
      password: address.password,
    }
  } catch {
    return null
  }
}

/** Two sets of variables for one server and account: one may have the password that the other lacks. */
function mergeSuggestions(first: ReadySuggestion, second: ReadySuggestion): ReadySuggestion {
  const password = first.password ?? second.password
  const variables = [...new Set([...first.variables, ...second.variables])]
  return { ...first, variables, password, hasPassword: password !== null }
}

/** Lock managers that read LOCK_PROVIDER default to Redis, which they find by host and port. */
function currentOf(found: readonly ReadySuggestion[], env: Env): ReadySuggestion | null {
  const provider = env['LOCK_PROVIDER']?.trim().toLowerCase() ?? ''
  if (provider === '') return found.find(({ suggestionId }) => suggestionId === 'env:redis') ?? null
  return found.find(({ kind }) => kind === provider) ?? null
}

/** Cut to the longest name that a store may have, between characters. */
function nameOf(address: StoreAddress): string {
  return clip(neutralise(shortName(address)), 60)
    .slice(0, 60)
    .replace(/\p{Cs}$/u, '')
    .trim()
}
