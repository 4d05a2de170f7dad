import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SecretVault } from '../../../../electron/core/features/stores/vault.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { freePort } from '../../../servers/process.ts'
import { type RedisServer, startRedis } from '../../../servers/redis.ts'
import { durableVault, everythingIn, openConsole, profile } from '../console.ts'

const SECRET = 'hunter2-of-the-tests'

let server: RedisServer
let admin: Redis
beforeAll(async () => {
  server = await startRedis()
  admin = new Redis({ port: server.port })
  // Set afterwards, because the start waits for an answer without a password.
  await admin.config('SET', 'requirepass', SECRET)
})
afterAll(async () => {
  admin.disconnect()
  await server.stop('SIGKILL')
})

const address = (password = '') => `redis://${password && `:${password}@`}127.0.0.1:${server.port}/0`
const locked = (more = {}) => profile({ address: address(), ...more })
const sealedIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores.map(
    (store: { sealed: string | null }) => store.sealed,
  )

describe('a password', () => {
  it('typed into an address is used, and is in no file, event or answer', async () => {
    const { ask, folder, sent, list } = openConsole()
    const entry = await ask('stores.add', { profile: locked({ address: address(SECRET) }) })
    expect(entry).toMatchObject({ address: address(), password: 'session' })
    expect(await ask('stores.describe', { storeId: entry.storeId })).toMatchObject({ kind: 'redis' })
    await ask('stores.test', { profile: locked({ address: address(SECRET) }) })
    const { storeId } = entry
    await ask('locks.release', { storeId, id: 'a', fence: 'f' })
    await ask('stores.edit', { storeId, profile: locked({ address: address(SECRET), name: 'Again' }) })
    await expect.poll(() => list()?.stores).toMatchObject([{ name: 'Again' }])
    expect(everythingIn(folder)).toContain('stores')
    expect(everythingIn(folder)).not.toContain(SECRET)
    expect(JSON.stringify(sent)).not.toContain(SECRET)
  })

  it('is forgotten at a restart without a keyring', async () => {
    const first = openConsole()
    const { storeId } = await first.ask('stores.add', { profile: locked(), password: SECRET })
    await first.close()
    const { ask, list } = openConsole(first.folder)
    await expect.poll(() => list()?.stores).toMatchObject([{ password: 'none', revision: 1 }])
    await expect(ask('stores.describe', { storeId })).rejects.toThrow('STORE_DENIED')
  })

  it('survives a restart sealed, and is used to connect', async () => {
    const vault = durableVault()
    const first = openConsole(dataFolder(), {}, { vault })
    const { storeId, password } = await first.ask('stores.add', { profile: locked(), password: SECRET })
    expect(password).toBe('kept')
    await first.close()
    expect(everythingIn(first.folder)).not.toContain(SECRET)
    const second = openConsole(first.folder, {}, { vault })
    await expect.poll(() => second.list()?.stores).toMatchObject([{ password: 'kept', revision: 1 }])
    expect(await second.ask('stores.describe', { storeId })).toMatchObject({ kind: 'redis' })
    expect(JSON.stringify(second.sent)).not.toContain(SECRET)
  })

  it('stays with a renamed store, and not with one that moves to another server, account or transport', async () => {
    const dead = await freePort()
    for (const elsewhere of [
      `redis://127.0.0.1:${dead}/0`,
      `redis://other@127.0.0.1:${server.port}/0`,
      `rediss://127.0.0.1:${server.port}/0`,
      `mysql://127.0.0.1:${server.port}/db`,
    ]) {
      const { ask, folder } = openConsole(dataFolder(), {}, { vault: durableVault() })
      const { storeId } = await ask('stores.add', { profile: locked(), password: SECRET })
      const renamed = locked({ name: 'Renamed', address: `${address()}?match=lock:*` })
      expect(await ask('stores.edit', { storeId, profile: renamed })).toMatchObject({ password: 'kept' })
      await ask('stores.describe', { storeId })
      expect(await ask('stores.edit', { storeId, profile: locked({ address: elsewhere }) })).toMatchObject({
        password: 'none',
      })
      expect(sealedIn(folder)).toEqual([null])
      // The old address does not bring it back.
      await ask('stores.edit', { storeId, profile: locked() })
      await expect(ask('stores.describe', { storeId })).rejects.toThrow('STORE_DENIED')
    }
  })

  it('of a closed store is not sent to another server either, and can be forgotten', async () => {
    const vault = durableVault()
    const first = openConsole(dataFolder(), {}, { vault })
    const { storeId } = await first.ask('stores.add', { profile: locked(), password: SECRET })
    const other = await first.ask('stores.add', { profile: locked({ name: 'Other' }), password: SECRET })
    for (const each of [storeId, other.storeId])
      await first.ask('stores.setOpen', { storeId: each, open: false })
    await first.close()
    // Nothing is unsealed for a store that is not opened.
    const second = openConsole(first.folder, {}, { vault })
    await expect.poll(() => second.list()?.stores.length).toBe(2)
    const moved = locked({ address: `redis://127.0.0.1:${await freePort()}/0` })
    expect(await second.ask('stores.edit', { storeId, profile: moved })).toMatchObject({ password: 'none' })
    const forgotten = { storeId: other.storeId, profile: locked({ name: 'Other' }), password: null }
    expect(await second.ask('stores.edit', forgotten)).toMatchObject({ password: 'none' })
    expect(sealedIn(first.folder)).toEqual([null, null])
  })

  it('is forgotten on request, and replaced by another', async () => {
    const { ask } = openConsole()
    const { storeId } = await ask('stores.add', { profile: locked(), password: 'wrong-password' })
    await expect(ask('stores.describe', { storeId })).rejects.toThrow('STORE_DENIED')
    expect(await ask('stores.edit', { storeId, profile: locked(), password: SECRET })).toMatchObject({
      revision: 2,
      password: 'session',
    })
    await ask('stores.describe', { storeId })
    expect(await ask('stores.edit', { storeId, profile: locked(), password: null })).toMatchObject({
      revision: 3,
      password: 'none',
    })
    await expect(ask('stores.describe', { storeId })).rejects.toThrow('STORE_DENIED')
  })

  it('of another store is used only for the same account on the same server', async () => {
    const { ask } = openConsole()
    const { storeId } = await ask('stores.add', { profile: locked(), password: SECRET })
    const again = locked({ name: 'Again', address: `${address()}?match=x:*` })
    const fits = await ask('stores.add', { profile: again, passwordOf: storeId })
    expect(fits.password).toBe('session')
    await ask('stores.describe', { storeId: fits.storeId })
    const other = locked({ name: 'Other', address: `redis://eve@127.0.0.1:${server.port}/0` })
    expect(await ask('stores.add', { profile: other, passwordOf: storeId })).toMatchObject({
      password: 'none',
    })
    expect(await ask('stores.test', { profile: again, passwordOf: storeId })).toMatchObject({
      complete: true,
    })
    await expect(ask('stores.test', { profile: other, passwordOf: storeId })).rejects.toThrow('STORE_DENIED')
    await expect(ask('stores.test', { profile: again, passwordOf: 'nobody' })).rejects.toThrow('STORE_DENIED')
  })

  it('of a closed store is unsealed when another store needs it', async () => {
    const vault = durableVault()
    const first = openConsole(dataFolder(), {}, { vault })
    const { storeId } = await first.ask('stores.add', { profile: locked(), password: SECRET })
    await first.ask('stores.setOpen', { storeId, open: false })
    await first.close()
    const { ask } = openConsole(first.folder, {}, { vault })
    expect(await ask('stores.test', { profile: locked(), passwordOf: storeId })).toMatchObject({
      complete: true,
    })
  })

  it('of a suggestion is used for its address, and reaches no screen', async () => {
    const suggestion = {
      suggestionId: 'env-redis',
      name: 'Redis',
      address: address(SECRET),
      kind: 'redis' as const,
      variables: ['REDIS_URL'],
      current: true,
      hasPassword: true,
      password: SECRET,
    }
    const { ask, list, sent } = openConsole(dataFolder(), { suggestions: [suggestion] })
    await expect.poll(() => list()?.suggestions).toMatchObject([{ address: address(), hasPassword: true }])
    const { storeId } = await ask('stores.add', { profile: locked(), passwordOf: 'env-redis' })
    await ask('stores.describe', { storeId })
    const eve = locked({ name: 'Eve', address: `redis://127.0.0.1:${await freePort()}/0` })
    expect(await ask('stores.add', { profile: eve, passwordOf: 'env-redis' })).toMatchObject({
      password: 'none',
    })
    expect(JSON.stringify(sent)).not.toContain(SECRET)
  })

  it('of an address given at the start is used', async () => {
    const { list, ask } = openConsole(dataFolder(), { stores: [address(SECRET)] })
    await expect.poll(() => list()?.stores).toMatchObject([{ password: 'session', revision: 1 }])
    await ask('stores.describe', { storeId: list()?.stores[0]?.storeId ?? '' })
  })
})

describe('a vault', () => {
  it('that never answers delays no other store and no decision', async () => {
    const vault = durableVault()
    const first = openConsole(dataFolder(), {}, { vault })
    const stuck = await first.ask('stores.add', { profile: locked(), password: SECRET })
    await first.ask('stores.add', { profile: profile({ name: 'Free' }) })
    await first.close()
    const mute: SecretVault = { ...vault, unseal: () => new Promise(() => {}) }
    const { ask, list } = openConsole(first.folder, { stores: ['memory:given'] }, { vault: mute })
    await expect
      .poll(() => list()?.stores)
      .toMatchObject([
        { name: 'Orders', revision: 0 },
        { name: 'Free', revision: 1 },
        { name: 'given', revision: 1 },
      ])
    await ask('stores.add', { profile: profile({ name: 'New' }) })
    // Typing the password resolves it.
    const { storeId } = stuck
    await ask('stores.edit', { storeId, profile: locked(), password: SECRET })
    await ask('stores.describe', { storeId })
    await ask('stores.remove', { storeId })
    expect(list()?.stores.map(({ name }) => name)).toEqual(['Free', 'given', 'New'])
  })

  it('that never answers delays no screen', async () => {
    const { ask } = openConsole(
      dataFolder(),
      {},
      {
        vault: { ...durableVault(), status: () => new Promise(() => {}) },
      },
    )
    expect((await ask('console.describe', {})).secrets).toEqual({
      durable: false,
      reason: 'Passwords are kept only while the console runs: the keyring does not answer',
    })
  })

  it('that cannot unseal a password shows none, and the sealed password stays', async () => {
    const vault = durableVault()
    const first = openConsole(dataFolder(), {}, { vault })
    const { storeId } = await first.ask('stores.add', { profile: locked(), password: SECRET })
    await first.close()
    for (const unseal of [async () => null, () => Promise.reject(new Error('locked'))]) {
      const { list, ask, close } = openConsole(first.folder, {}, { vault: { ...vault, unseal } })
      await expect.poll(() => list()?.stores).toMatchObject([{ password: 'none', revision: 1 }])
      await ask('stores.edit', { storeId, profile: locked({ colour: 'rose' }) })
      await close()
    }
    const better = openConsole(first.folder, {}, { vault })
    await expect.poll(() => better.list()?.stores).toMatchObject([{ password: 'kept', revision: 1 }])
    await better.ask('stores.describe', { storeId })
  })

  it('that cannot seal leaves the password for the session', async () => {
    const vault = { ...durableVault(), seal: () => Promise.reject(new Error('no keyring')) }
    const { ask } = openConsole(dataFolder(), {}, { vault })
    expect(await ask('stores.add', { profile: locked(), password: SECRET })).toMatchObject({
      password: 'session',
    })
  })
})

it('is forgotten when its connection test ends, and kept while a store has the same', async () => {
  const { ask, core } = openConsole()
  const draft = profile({ name: 'Draft', address: 'redis://127.0.0.1:1/0' })
  const failed = ask('stores.test', { profile: draft, password: 'customers-1' })
  await expect(failed).rejects.toThrow('STORE_UNREACHABLE')
  expect(core.redact('all customers-1')).toBe('all customers-1')
  await ask('stores.add', { profile: draft, password: 'customers-1' })
  expect(core.redact('all customers-1')).toBe('all •••')
  await ask('stores.test', { profile: draft, password: 'customers-1' }).catch(() => {})
  expect(core.redact('all customers-1')).toBe('all •••')
})
