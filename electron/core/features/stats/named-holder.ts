import { holdsForMaintenance } from '../../../../shared/hold-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { formatInfo } from '../../stores/kinds/kinds.ts'
import { hashToken, withoutToken } from '../audit/audited.ts'

/** Longer names are cut, because there can be tens of thousands. */
const LONGEST = 200
export const UNKNOWN_HOLDER = 'not recorded'

type HolderFields = Pick<Lock, 'format' | 'owner' | 'holder'>

/**
 * The holder as it may be kept and shown: a name as it is, and instead of a secret token its label or its hash. Groups are by
 * program and not by single run, where the record tells them apart.
 */
export function holderGroup(lock: HolderFields): string {
  return cut(maintainer(lock) ?? publicLabel(lock) ?? publicOwner(lock) ?? UNKNOWN_HOLDER)
}

/** In full: the run, and in parentheses its program. Null if no holder is recorded. */
export function namedHolder(lock: HolderFields): { holder: string | null; ownerHash: string | null } {
  const holder = maintainer(lock) ?? runOf(lock)
  return { holder: holder === null ? null : cut(holder), ownerHash: hashToken(lock.owner) }
}

function runOf(lock: HolderFields): string | null {
  const label = publicLabel(lock)
  const owner = publicOwner(lock)
  if (owner === null || isToken(lock)) return label ?? owner
  return label && label !== owner ? `${owner} (${label})` : owner
}

/** A maintenance hold names its operator in the record, so the name must not be hidden behind a hash. */
function maintainer({ owner }: HolderFields): string | null {
  const who = holdsForMaintenance(owner)
  return who === null ? null : `maintenance hold of ${who}`
}

/** An unknown format is treated as one with secret tokens. */
export function isToken({ format }: Pick<Lock, 'format'>): boolean {
  return formatInfo(format)?.ownerIs !== 'name'
}

function publicLabel(lock: HolderFields): string | null {
  if (!isToken(lock)) return lock.holder?.label || null
  return withoutToken(lock.holder, lock.owner)?.label || null
}

function publicOwner(lock: HolderFields): string | null {
  if (lock.owner === null || lock.owner === '') return null
  return isToken(lock) ? `token ${hashToken(lock.owner)?.slice(0, 15)}` : lock.owner
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
