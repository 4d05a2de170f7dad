import { holdsForMaintenance } from '../../../../shared/hold-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { ALL_FORMATS } from '../../stores/kinds/formats.ts'
import { hashToken, withoutToken } from '../audit/audited.ts'

const OWNER_IS = new Map(ALL_FORMATS.map(({ id, ownerIs }) => [id, ownerIs]))
/** Names are counted by the ten thousand: nobody reads more of one. */
const LONGEST = 200
const NOBODY = 'not recorded'

type Held = Pick<Lock, 'format' | 'owner' | 'holder'>

/**
 * Who holds a lock, as it may be kept and handed on: a name as it is, and of a token only what is known besides it, or its
 * hash. Groups are by who it is and not by the single run, where the record tells them apart.
 */
export function holderGroup(lock: Held): string {
  return cut(maintainer(lock) ?? publicLabel(lock) ?? publicOwner(lock) ?? NOBODY)
}

/** The same in full: the run, and behind it who that is. Null when nothing is recorded. */
export function namedHolder(lock: Held): { holder: string | null; ownerHash: string | null } {
  const holder = maintainer(lock) ?? runOf(lock)
  return { holder: holder === null ? null : cut(holder), ownerHash: hashToken(lock.owner) }
}

function runOf(lock: Held): string | null {
  const label = publicLabel(lock)
  const owner = publicOwner(lock)
  if (owner === null || isToken(lock)) return label ?? owner
  return label && label !== owner ? `${owner} (${label})` : owner
}

/** Whose hold it is, is in the record for everybody to read, and no job has it: that must not be hidden behind a hash. */
function maintainer({ owner }: Held): string | null {
  const who = holdsForMaintenance(owner)
  return who === null ? null : `maintenance hold of ${who}`
}

/** A format that nobody knows any more is treated as one with a secret. */
export function isToken({ format }: Pick<Lock, 'format'>): boolean {
  return OWNER_IS.get(format) !== 'name'
}

function publicLabel(lock: Held): string | null {
  if (!isToken(lock)) return lock.holder?.label || null
  return withoutToken(lock.holder, lock.owner)?.label || null
}

function publicOwner(lock: Held): string | null {
  if (lock.owner === null || lock.owner === '') return null
  return isToken(lock) ? `token ${hashToken(lock.owner)?.slice(0, 15)}` : lock.owner
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
