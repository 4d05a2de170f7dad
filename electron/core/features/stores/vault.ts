import { within } from '../../lib/timers.ts'

/** How a host keeps passwords. Core keeps the sealed text in its own file; only the host can open it again. */
export interface SecretVault {
  /** Whether what is sealed now can be opened after a restart, and if not, why, in one sentence. */
  status(): Promise<{ durable: boolean; reason: string | null }>
  /** Called only while `status` says durable. */
  seal(secret: string): Promise<string>
  /** Null when it cannot be opened any more (another user, another machine, a lost keyring). */
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

/** A keyring that hangs or fails keeps no password, and no screen waiting. */
export function statusWithin(
  patienceMs: number,
  vault: SecretVault,
): Promise<{ durable: boolean; reason: string | null }> {
  return within(patienceMs, vault.status(), () => new Error('The vault does not answer')).catch(() => ({
    durable: false,
    reason: 'Passwords are kept only while the console runs: the keyring does not answer',
  }))
}

/** Null if the host keeps no passwords, and when its keyring takes too long: other decisions wait for this one. */
export async function sealWithin(
  patienceMs: number,
  vault: SecretVault,
  password: string | null,
): Promise<string | null> {
  if (password === null) return null
  const sealing = vault.status().then(({ durable }) => (durable ? vault.seal(password) : null))
  return within(patienceMs, sealing, () => new Error('The vault does not answer')).catch(() => null)
}
