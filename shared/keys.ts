import { z } from 'zod'

/** The keys of installations: each signs its plan files, and applies those of others only once an operator trusts their keys by name. */

/** An Ed25519 public key. */
export const publicKeySchema = z.string().regex(/^[0-9a-f]{64}$/, 'not the key of an installation')

const nameSchema = z.string().trim().min(1).max(60)

export const trustedKeySchema = z.object({ name: nameSchema, key: publicKeySchema, since: z.number() })
export type TrustedKey = z.infer<typeof trustedKeySchema>

export type InstallationKeys = {
  /** Of this installation; null if it is refused, or can be neither read nor written. */
  own: string | null
  /** Why it is refused; null if it is not. */
  problem: string | null
  trusted: TrustedKey[]
  /** Why the trusted keys are unknown; null if they are known. */
  notice: string | null
}

const LETTERS_SHOWN = 16

/** Enough of a key to recognize it, not to trust it. */
export function fingerprintOf(key: string): string {
  return key.slice(0, LETTERS_SHOWN)
}

export const keyMethods = {
  'keys.list': { effect: 'read', input: z.strictObject({}), output: z.custom<InstallationKeys>() },
  /** Accepts plans of another installation. */
  'keys.trust': {
    effect: 'settings',
    input: z.strictObject({ name: nameSchema, key: publicKeySchema }),
    output: z.null(),
  },
  /** Replaces the key of this installation: others have to trust the new one, and what was signed with the old one is refused here. */
  'keys.renew': {
    effect: 'settings',
    input: z.strictObject({}),
    output: z.strictObject({ key: publicKeySchema }),
  },
  'keys.forget': {
    effect: 'settings',
    input: z.strictObject({ name: nameSchema }),
    output: z.null(),
  },
} as const
