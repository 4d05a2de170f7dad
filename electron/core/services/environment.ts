import type { Suggestion } from '../../../shared/store-profile.ts'

/** A suggestion with what only core may know. */
export type ReadySuggestion = Suggestion & { readonly password: string | null }

/** The connections that an application's own variables describe. */
export function suggestStores(_env: Readonly<Record<string, string | undefined>>): ReadySuggestion[] {
  return []
}
