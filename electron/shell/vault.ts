import type { SafeStorage } from 'electron'
import type { SecretVault } from '../core/features/stores/vault.ts'

/** The part of Electron's safeStorage in use. Its asynchronous calls are recent: older versions freeze the window. */
export type KeyringLike = Pick<SafeStorage, 'getSelectedStorageBackend'> &
  Partial<Pick<SafeStorage, 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'>>

/** Passwords in the keyring of the operating system. */
export function keyringVault(
  keyring: KeyringLike,
  platform: NodeJS.Platform = process.platform,
): SecretVault {
  const why = async (): Promise<string | null> => {
    if (!keyring.isAsyncEncryptionAvailable || !keyring.encryptStringAsync || !keyring.decryptStringAsync)
      return 'Passwords are kept only while the console runs: this version of Electron cannot ask the keyring'
    // Linux falls back to a key that is written in the program, which protects nothing.
    if (platform === 'linux' && ['basic_text', 'unknown'].includes(keyring.getSelectedStorageBackend()))
      return 'Passwords are kept only while the console runs: this desktop has no keyring'
    if (!(await keyring.isAsyncEncryptionAvailable()))
      return 'Passwords are kept only while the console runs: the keyring is locked or does not answer'
    return null
  }
  return {
    async status() {
      const reason = await why().catch(
        () => 'Passwords are kept only while the console runs: the keyring does not answer',
      )
      return { durable: reason === null, reason }
    },
    async seal(secret) {
      if (!keyring.encryptStringAsync || (await why()) !== null) throw new Error('There is no keyring to use')
      return (await keyring.encryptStringAsync(secret)).toString('base64')
    },
    async unseal(sealed) {
      try {
        // As for sealing: something sealed with the fallback key is not trusted as a secret.
        if (!keyring.decryptStringAsync || (await why()) !== null) return null
        return (await keyring.decryptStringAsync(Buffer.from(sealed, 'base64'))).result
      } catch {
        return null
      }
    },
  }
}
