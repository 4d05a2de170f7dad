import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InstallationKey, isSignedBy } from '../../../electron/core/files/installation-key.ts'
import { dataFolder } from '../../hosts/cli/run-cli.ts'

const signed = async (folder: string, text = 'text', purpose = 'undo') =>
  (await new InstallationKey(folder).signer(purpose))(text)

describe('the key of an installation', () => {
  it('is one, whichever process is first, and readable by this account alone', async () => {
    const folder = join(dataFolder(), 'new')
    const all = await Promise.all(Array.from({ length: 20 }, () => signed(folder)))
    expect(new Set(all).size).toBe(1)
    expect(await signed(folder)).toBe(all[0])
    expect(readdirSync(folder)).toEqual(['installation.key'])
    expect(statSync(join(folder, 'installation.key')).mode & 0o777).toBe(0o600)
  })

  it('signs differently for each text, purpose and installation', async () => {
    const folder = dataFolder()
    const all = [
      signed(folder),
      signed(folder, 'other'),
      signed(folder, 'text', 'plans'),
      signed(dataFolder()),
    ]
    expect(new Set(await Promise.all(all)).size).toBe(4)
  })

  it('that other users may read is neither used nor removed', async () => {
    const folder = dataFolder()
    const path = join(folder, 'installation.key')
    const key = new InstallationKey(folder)
    const before = await signed(folder)
    await key.signer('undo')
    for (const mode of [0o640, 0o604, 0o622]) {
      chmodSync(path, mode)
      await expect(key.signer('undo')).rejects.toThrow(
        `is open to other users (mode ${mode.toString(8)}), so it is not used and nothing was changed. Run chmod 600 ${path};`,
      )
    }
    chmodSync(path, 0o600)
    expect(await signed(folder)).toBe(before)
  })

  it('is another one after it was replaced, for processes that used the old one, too', async () => {
    const folder = dataFolder()
    const key = new InstallationKey(folder)
    const before = (await key.signer('undo'))('text')
    chmodSync(join(folder, 'installation.key'), 0o644)
    await new InstallationKey(folder).replace()
    expect((await key.signer('undo'))('text')).not.toBe(before)
    expect(statSync(join(folder, 'installation.key')).mode & 0o777).toBe(0o600)
  })

  it('that is damaged is replaced', async () => {
    const folder = dataFolder()
    const path = join(folder, 'installation.key')
    const before = await signed(folder)
    truncateSync(path, 10)
    expect(await signed(folder)).not.toBe(before)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('is not read through a link', async () => {
    const folder = dataFolder()
    const other = dataFolder()
    await signed(other)
    symlinkSync(join(other, 'installation.key'), join(folder, 'installation.key'))
    await expect(signed(folder)).rejects.toMatchObject({ code: 'ELOOP' })
  })
})

describe('the public signature of an installation', () => {
  const signer = (folder: string) => new InstallationKey(folder).publicSigner('plan')

  it('is one of the same key after each start, and keeps no further file', async () => {
    const folder = dataFolder()
    const { publicKey, sign } = await signer(folder)
    expect(await signer(folder)).toMatchObject({ publicKey: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await signer(folder)).publicKey).toBe(publicKey)
    expect((await signer(dataFolder())).publicKey).not.toBe(publicKey)
    expect(isSignedBy(publicKey, 'plan', 'text', sign('text'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['installation.key'])
    expect(readFileSync(join(folder, 'installation.key'), 'utf8')).not.toContain(publicKey)
  })

  it('is good for its text, purpose and key, and no other', async () => {
    const { publicKey, sign } = await signer(dataFolder())
    const other = await signer(dataFolder())
    const signature = sign('text')
    expect([
      isSignedBy(publicKey, 'plan', 'other', signature),
      isSignedBy(publicKey, 'audit', 'text', signature),
      isSignedBy(other.publicKey, 'plan', 'text', signature),
      isSignedBy(publicKey, 'plan', 'text', other.sign('text')),
      isSignedBy(publicKey, 'plan', 'text', signature.slice(2)),
      isSignedBy(publicKey, 'plan', 'text', ''),
    ]).toEqual([false, false, false, false, false, false])
  })
})
