import type { StoreProfile, StoreRules } from '../../../../shared/stores.ts'
import { StoreError } from '../../lib/errors.ts'
import type { StoreChange } from '../../lib/handler.ts'
import { isCoveredBy, isSamePlace, lookUpHosts, type Place, placeOf } from './place.ts'

/** A store of a list, with the ids of the servers that it reached. */
export type RuledStore = {
  readonly storeId: string
  readonly profile: StoreProfile
  readonly serverIds: readonly string[]
}

const UNCHANGED = 'nothing was changed'

export function hasRules({ production, readOnly }: Pick<StoreProfile, 'production' | 'readOnly'>): boolean {
  return production || readOnly
}

/**
 * The rules for a place: those of every store in the list that shares its locks, and of the store itself. Fails if that cannot be
 * known.
 */
export function rulesFor(place: Place, storeId: string, list: readonly RuledStore[]): StoreRules {
  const own = list.filter(each => each.storeId === storeId)
  const others = list.filter(
    each => each.storeId !== storeId && hasRules(each.profile) && isSamePlace(ruledPlace(each), place),
  )
  const all = [...own, ...others].map(each => each.profile)
  return {
    productionNames: all.filter(each => each.production).map(({ name }) => name),
    readOnlyBy: all.find(each => each.readOnly)?.name ?? null,
    from: others.filter(({ profile }) => own.every(each => lacksRule(each.profile, profile))).map(nameOf),
  }
}

/** What a screen shows. Nothing if the rules cannot be known: then every change is refused anyway. */
export function shownRules(rules: () => StoreRules): StoreRules {
  try {
    return rules()
  } catch {
    return { productionNames: [], readOnlyBy: null, from: [] }
  }
}

function nameOf({ profile }: RuledStore): string {
  return profile.name
}

function lacksRule(one: Pick<StoreProfile, 'production' | 'readOnly'>, other: StoreProfile): boolean {
  return (other.production && !one.production) || (other.readOnly && !one.readOnly)
}

/** Looks up the hosts of a place and of all that have rules, which may be the same machines. */
export function lookUpRuledHosts(place: Place, list: readonly RuledStore[]): Promise<void> {
  const ruled = list.filter(({ profile }) => hasRules(profile)).map(ruledPlace)
  return lookUpHosts([place, ...ruled.filter(({ kind }) => kind === place.kind)])
}

function ruledPlace({ profile, serverIds }: RuledStore): Place {
  try {
    return placeOf(profile.address, serverIds)
  } catch (error) {
    throw new StoreError(
      'REFUSED',
      `The address of ${profile.name} is not valid, so it is unknown where its rules apply, and nothing was changed: fix its address or remove it`,
      { cause: error },
    )
  }
}

/**
 * The operator's rules for a store, whatever a screen permits. The dispatcher checks them before it applies a change; long-running
 * work checks them again before each step.
 */
export async function checkChange(
  { store, revision, confirmation }: StoreChange,
  consequence = UNCHANGED,
): Promise<void> {
  const rules = await checkWritable(store, consequence)
  if (store.revision !== null && revision !== undefined && revision !== store.revision)
    throw refused(`The store ${store.name} was reconnected since you saw the lock`, consequence)
  const needed = confirmation(rules)
  if (needed === null) return
  const { expected, typed, missing, reason, subject } = needed
  if (!expected.some(each => typed.includes(each))) throw refused(missing, consequence)
  if (!reason?.trim()) throw refused(`${subject} needs a reason`, consequence)
}

export async function checkWritable(
  { name, rules }: Pick<StoreChange['store'], 'name' | 'rules'>,
  consequence = UNCHANGED,
): Promise<StoreRules> {
  const known = await rules()
  const { readOnlyBy } = known
  if (readOnlyBy === null) return known
  const whose = readOnlyBy === name ? 'is' : `is on the same server as ${readOnlyBy}, which is`
  const remedy = `To allow changes, edit ${readOnlyBy} in the list of stores`
  throw refused(`The store ${name} ${whose} set to read-only`, `${consequence}. ${remedy}`)
}

function refused(why: string, consequence: string): StoreError {
  return new StoreError('REFUSED', `${why}: ${consequence}`)
}

/** Whether a place loses a protection, by an edit of its store or by its removal. */
export function isWeaker(before: StoreProfile, after: StoreProfile | null): boolean {
  if (!hasRules(before)) return false
  if (after === null) return true
  return lacksRule(after, before) || !compareAddresses(before.address, after.address, isCoveredBy)
}

/** False if one of them is not valid. */
export function compareAddresses(
  address: string,
  other: string,
  compare: (place: Place, other: Place) => boolean = isSamePlace,
): boolean {
  try {
    return compare(placeOf(address), placeOf(other))
  } catch {
    return false
  }
}

/** Throws if a store would lose a protection that is not in the audit log. */
export function checkProtection(
  now: StoreProfile,
  seen: StoreProfile | null,
  after: StoreProfile | null,
): void {
  if (isWeaker(now, after) && !(seen && isWeaker(seen, after)))
    throw new StoreError(
      'REFUSED',
      `The store ${now.name} was marked production or read-only in the meantime: nothing was changed`,
    )
}
