import { expect, it } from 'vitest'
import { type KeyringLike, keyringVault } from '../../electron/shell/vault.ts'

/** A keyring as Electron has it. What it seals is the text backwards. */
const keyring = (changed: Partial<Record<keyof KeyringLike, unknown>> = {}): KeyringLike =>
  ({
    getSelectedStorageBackend: () => 'gnome_libsecret',
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text: string) => Buffer.from([...text].reverse().join('')),
    decryptStringAsync: async (sealed: Buffer) => {
      if (sealed.length === 0) throw new Error('not ours')
      return { shouldReEncrypt: false, result: [...sealed.toString()].reverse().join('') }
    },
    ...changed,
  }) as KeyringLike

it('seals a secret and unseals it again', async () => {
  const vault = keyringVault(keyring(), 'linux')
  expect(await vault.status()).toEqual({ durable: true, reason: null })
  const sealed = await vault.seal('pässword')
  expect(sealed).not.toContain('ssword')
  expect(await vault.unseal(sealed)).toBe('pässword')
  expect(await vault.unseal('')).toBeNull()
})

const USELESS: [string, Partial<Record<keyof KeyringLike, unknown>>, NodeJS.Platform, string][] = [
  ['a fixed key', { getSelectedStorageBackend: () => 'basic_text' }, 'linux', 'no keyring'],
  ['an unknown one', { getSelectedStorageBackend: () => 'unknown' }, 'linux', 'no keyring'],
  ['a locked one', { isAsyncEncryptionAvailable: async () => false }, 'darwin', 'locked'],
  ['an old Electron', { encryptStringAsync: undefined }, 'win32', 'this version of Electron'],
  [
    'one that fails',
    { isAsyncEncryptionAvailable: () => Promise.reject(new Error('dbus')) },
    'linux',
    'does not answer',
  ],
]

it.each(USELESS)('seals nothing with %s, and says why', async (_, changed, platform, words) => {
  const vault = keyringVault(keyring(changed), platform)
  const { durable, reason } = await vault.status()
  expect(durable).toBe(false)
  expect(reason).toContain(words)
  await expect(vault.seal('secret')).rejects.toThrow()
  expect(await vault.unseal('c2VjcmV0')).toBeNull()
})
