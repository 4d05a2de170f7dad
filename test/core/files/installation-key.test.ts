import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InstallationKey, isPublicKey, isSignedBy } from '../../../electron/core/files/installation-key.ts'
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

  it('has a key that is told from numbers that are none', async () => {
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () => (await signer(dataFolder())).publicKey),
    )
    expect(keys.map(isPublicKey)).toEqual(keys.map(() => true))
    const none = [
      '00'.repeat(32),
      'ff'.repeat(32),
      // 1 and -1, with both signs of x.
      `01${'00'.repeat(31)}`,
      `01${'00'.repeat(30)}80`,
      `ec${'ff'.repeat(30)}7f`,
      'ec'.padEnd(64, 'f'),
      // Of order 8.
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
      // Not on the curve.
      `02${'00'.repeat(31)}`,
    ]
    expect(none.map(isPublicKey)).toEqual(none.map(() => false))
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
