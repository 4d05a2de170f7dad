import { z } from 'zod'
import { accountOf, type StoreAddress } from '../../../../shared/address.ts'
import { parseJson } from '../../files/disk.ts'
import { within } from '../../lib/timers.ts'

/** How a host keeps passwords. Core keeps the sealed text in its own file; only the host can unseal it. */
export interface SecretVault {
  /** Whether a password sealed now can be unsealed after a restart; if not, `reason` is a sentence. */
  status(): Promise<{ durable: boolean; reason: string | null }>
  /** Called only while `status` says durable. */
  seal(secret: string): Promise<string>
  /** Null if it can no longer be unsealed (another user, another machine, a lost keyring). */
  unseal(sealed: string): Promise<string | null>
}

/** For hosts without a keyring: passwords last as long as the process. */
export function sessionVault(reason: string): SecretVault {
  return {
    status: async () => ({ durable: false, reason }),
    seal: async () => {
      throw new Error('This host keeps no passwords')
    },
    unseal: async () => null,
  }
}

/** How long a screen waits for the keyring before it starts. */
const STATUS_MS = 1000
/** The keyring may ask the operator first. */
const SEAL_MS = 30_000

const noAnswer = () => new Error('The vault does not answer')

/** The status of the vault. A keyring that hangs or fails keeps no passwords, and does not delay the screen. */
export function statusOf(vault: SecretVault): ReturnType<SecretVault['status']> {
  return within(STATUS_MS, vault.status(), noAnswer).catch(() => ({
    durable: false,
    reason: 'Passwords are kept only while the console runs: the keyring does not answer',
  }))
}

/** What is sealed: the file beside it, which has the address, can be edited by anybody who can write it. */
const boundSchema = z.strictObject({ account: z.string(), password: z.string() })

/** Null if the host keeps no passwords, or its keyring takes too long: other decisions wait for this one. */
export async function sealIn(
  vault: SecretVault,
  password: string | null,
  address: StoreAddress,
): Promise<string | null> {
  if (password === null) return null
  const bound = JSON.stringify({ account: accountOf(address), password })
  const sealing = vault.status().then(({ durable }) => (durable ? vault.seal(bound) : null))
  return within(SEAL_MS, sealing, noAnswer).catch(() => null)
}

/**
 * Why a sealed password is not used: the vault cannot unseal it, it was given for another account or server, or an earlier version
 * sealed it without saying for which.
 */
export type Unusable = 'lost' | 'elsewhere' | 'unbound'

/** The password, if it was sealed for the account and server of this address. */
export async function unsealFor(
  vault: SecretVault,
  sealed: string,
  address: StoreAddress,
): Promise<{ readonly password: string | null; readonly unusable: Unusable | null }> {
  const text = await vault.unseal(sealed).catch(() => null)
  const none = (unusable: Unusable) => ({ password: null, unusable })
  if (text === null) return none('lost')
  const bound = boundSchema.safeParse(parseJson(text))
  if (!bound.success) return none('unbound')
  const { account, password } = bound.data
  return account === accountOf(address) ? { password, unusable: null } : none('elsewhere')
}
