import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { openConsole, profile } from '../console.ts'

const kept = (folder: string) => JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores

describe('a console', () => {
  it.each([
    ['damaged', (text: string) => text.slice(0, -9)],
    ['of a newer version', (text: string) => text.replace('"version": 1', '"version": 2')],
  ])(
    'changes nothing while its file is %s, says what to do, and then has its rules again',
    async (_, spoil) => {
      const ruled = openConsole()
      await ruled.ask('stores.add', { profile: profile({ readOnly: true }) })
      await ruled.close()
      const path = join(ruled.folder, 'stores.json')
      const good = readFileSync(path, 'utf8')
      writeFileSync(path, spoil(good))
      const { ask, list } = openConsole(ruled.folder, { stores: ['memory:orders'] })
      await expect
        .poll(() => list()?.notice)
        .toBe(
          `The list of stores could not be understood. The rules of its stores are unknown, so no store can be changed: fix ${path}, or move it away to begin with an empty list`,
        )
      await expect.poll(() => list()?.stores[0]?.revision).toBe(1)
      const storeId = list()?.stores[0]?.storeId ?? ''
      const release = () => ask('locks.release', { storeId, id: 'any', fence: 'any' })
      await expect(release()).rejects.toThrow(
        `REFUSED: The rules of stores cannot be read, so nothing was changed: fix or move ${path}`,
      )
      await expect(ask('stores.add', { profile: profile({ name: 'New' }) })).rejects.toThrow(
        'before you fix or move stores.json',
      )
      expect(readFileSync(path, 'utf8')).toBe(spoil(good))
      writeFileSync(path, good)
      await expect.poll(() => list()?.notice, { timeout: 10_000 }).toBeNull()
      await expect(release()).rejects.toThrow('set to read-only')
    },
  )

  it('begins empty after its damaged file was moved away', async () => {
    const folder = dataFolder()
    writeFileSync(join(folder, 'stores.json'), '{"version": 1, "stores": [{"name": ')
    const { ask, list } = openConsole(folder)
    await expect.poll(() => list()?.notice).toMatch(/could not be understood/)
    renameSync(join(folder, 'stores.json'), join(folder, 'old.json'))
    await ask('stores.add', { profile: profile() })
    expect(kept(folder)).toHaveLength(1)
    expect(list()?.notice).toBeNull()
  })

  it('does not overwrite an unreadable file', async () => {
    const folder = dataFolder()
    mkdirSync(join(folder, 'stores.json'))
    const { ask, list } = openConsole(folder)
    await expect.poll(() => list()?.notice).toContain('cannot be read (EISDIR)')
    await expect(ask('stores.add', { profile: profile() })).rejects.toThrow('REFUSED')
    expect(readdirSync(folder).filter(name => !name.startsWith('audit-'))).toEqual(['stores.json'])
  })
})
