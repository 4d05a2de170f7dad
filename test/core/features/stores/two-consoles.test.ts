import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecretVault, sessionVault } from '../../../../electron/core/features/stores/vault.ts'
import { type RedisServer, startRedis } from '../../../servers/redis.ts'
import { durableVault, openConsole, profile } from '../console.ts'

const PRODUCTION = profile({ name: 'Billing', address: 'memory:billing', production: true, readOnly: true })

function twoConsoles() {
  const a = openConsole()
  return { a, b: openConsole(a.folder), kept: () => storesIn(a.folder) }
}

function storesIn(folder: string): { storeId: string; profile: { name: string } }[] {
  return JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores
}

const names = (console: ReturnType<typeof openConsole>) => console.list()?.stores.map(({ name }) => name)

it('keeps the stores that two consoles of one data folder add, and shows them in both', async () => {
  const { a, b, kept } = twoConsoles()
  await expect.poll(() => [a.list(), b.list()].every(Boolean)).toBe(true)
  const billing = await a.ask('stores.add', { profile: PRODUCTION })
  await b.ask('stores.add', { profile: profile() })
  expect(kept().map(each => each.profile.name)).toEqual(['Billing', 'Orders'])
  expect(names(b)).toEqual(expect.arrayContaining(['Billing', 'Orders']))
  await expect.poll(() => names(a)).toEqual(['Billing', 'Orders'])
  const { storeId } = billing
  await expect.poll(() => b.list()?.stores.find(each => each.storeId === storeId)?.revision).toBe(1)
  await expect(
    b.ask('locks.release', { storeId, id: 'x', fence: 'f', confirm: 'Billing', reason: 'r' }),
  ).rejects.toThrow('REFUSED: The store Billing is set to read-only')
})

it('obeys the rules of another console from the moment they are set', async () => {
  const { a, b } = twoConsoles()
  const open = profile({ name: 'Billing', address: 'memory:billing' })
  const { storeId } = await a.ask('stores.add', { profile: open })
  await expect.poll(() => b.list()?.stores[0]?.revision).toBe(1)
  const release = () => b.ask('locks.release', { storeId, id: 'x', fence: 'f' })
  for (let round = 0; round < 3; round++) {
    await a.ask('stores.edit', { storeId, profile: { ...open, readOnly: true } })
    await expect(release()).rejects.toThrow('set to read-only')
    await a.ask('stores.edit', { storeId, profile: open })
    expect(await release()).toMatchObject({ outcome: 'gone' })
  }
})

it('has no two stores with one name, whichever consoles add them', async () => {
  const { a, b, kept } = twoConsoles()
  await a.ask('stores.add', { profile: profile() })
  await expect(b.ask('stores.add', { profile: profile({ name: 'orders' }) })).rejects.toThrow('BAD_INPUT')
  expect(kept()).toHaveLength(1)
})

it('closes a store that another console removed, and reports it as removed', async () => {
  const { a, b } = twoConsoles()
  const { storeId } = await a.ask('stores.add', { profile: profile() })
  await expect.poll(() => names(b)).toEqual(['Orders'])
  await a.ask('stores.remove', { storeId })
  await expect(b.ask('stores.edit', { storeId, profile: profile({ name: 'New' }) })).rejects.toThrow(
    /^NOT_FOUND: (The store Orders was removed in another console|There is no such store)/,
  )
  expect(names(b)).toEqual([])
  await expect(b.ask('stores.describe', { storeId })).rejects.toThrow('NOT_FOUND')
})

it('does not remove a protection that another console has just added', async () => {
  const { a, b } = twoConsoles()
  const { storeId } = await a.ask('stores.add', { profile: profile() })
  await expect.poll(() => names(b)).toEqual(['Orders'])
  await a.ask('stores.edit', { storeId, profile: profile({ readOnly: true }) })
  const rename = b.ask('stores.edit', { storeId, profile: profile({ name: 'Renamed' }) })
  // Unless the console has learned of it meanwhile: then the edit is intended, and audited.
  const outcome = await rename.then(
    () => 'edited',
    error => String(error),
  )
  if (outcome !== 'edited') expect(outcome).toContain('marked production or read-only in the meantime')
  await expect.poll(() => b.list()?.stores[0]?.readOnly).toBe(outcome !== 'edited')
})

it('follows an edit of another console: its rules, its address, and its password for the same server only', async () => {
  const vault = durableVault()
  const a = openConsole(undefined, {}, { vault })
  const b = openConsole(a.folder, {}, { vault })
  const address = 'redis://127.0.0.1:1/0'
  const { storeId } = await a.ask('stores.add', { profile: profile({ address }), password: 'hunter2hunter2' })
  await expect.poll(() => b.list()?.stores[0]?.password).toBe('kept')
  const edited = profile({ address: 'redis://127.0.0.2:1/0', readOnly: true })
  await a.ask('stores.edit', { storeId, profile: edited })
  await expect
    .poll(() => b.list()?.stores[0])
    .toMatchObject({ address: 'redis://127.0.0.2:1/0', readOnly: true, password: 'none' })
})

describe('a password that works', () => {
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

  const locked = (name: string) => profile({ name, address: `redis://127.0.0.1:${server.port}/0` })

  /** One store in a desktop console, whose keyring lasts, and in a web console, which cannot unseal. */
  async function desktopAndWeb() {
    const desktop = openConsole(undefined, {}, { vault: durableVault() })
    const web = openConsole(desktop.folder, {}, { vault: sessionVault('A browser has no keyring') })
    const { storeId } = await desktop.ask('stores.add', { profile: locked('Orders'), password: SECRET })
    await expect.poll(() => web.list()?.stores[0]?.revision).toBe(1)
    return { desktop, web, storeId, sealed: () => sealedIn(desktop.folder) }
  }

  const sealedIn = (folder: string) => (storesIn(folder)[0] as unknown as { sealed: string | null }).sealed
  const adopted = (console: ReturnType<typeof openConsole>, name: string) =>
    expect.poll(() => names(console)).toEqual([name])

  it('stays in use when it is typed in a console without a keyring', async () => {
    const { desktop, web, storeId } = await desktopAndWeb()
    const typed = { storeId, profile: locked('Typed'), password: SECRET }
    expect(await web.ask('stores.edit', typed)).toMatchObject({ password: 'session' })
    await web.ask('stores.describe', { storeId })
    await adopted(desktop, 'Typed')
    expect(desktop.list()?.stores).toMatchObject([{ password: 'session', revision: 1 }])
    await desktop.ask('stores.describe', { storeId })
  })

  it('stays in use in a console that cannot unseal that of another', async () => {
    const { desktop, web, storeId } = await desktopAndWeb()
    await web.ask('stores.edit', { storeId, profile: locked('Typed'), password: SECRET })
    const { revision } = web.list()?.stores[0] ?? {}
    await adopted(desktop, 'Typed')
    await desktop.ask('stores.edit', { storeId, profile: locked('Retyped'), password: SECRET })
    await adopted(web, 'Retyped')
    await expect.poll(() => web.list()?.stores).toMatchObject([{ password: 'session', revision }])
    await web.ask('stores.describe', { storeId })
  })

  it('stays sealed when a console without a keyring edits its store', async () => {
    const { desktop, web, storeId, sealed } = await desktopAndWeb()
    const before = sealed()
    await web.ask('stores.edit', { storeId, profile: locked('Renamed') })
    await web.ask('stores.setOpen', { storeId, open: false })
    expect(before).not.toBeNull()
    expect(sealed()).toBe(before)
    await adopted(desktop, 'Renamed')
    expect(desktop.list()?.stores).toMatchObject([{ password: 'kept', revision: 1 }])
  })

  it('causes no reconnection when another console seals the same one', async () => {
    let seals = 0
    const vault = durableVault()
    const salted: SecretVault = {
      ...vault,
      seal: async secret => `${await vault.seal(secret)}#${++seals}`,
      unseal: sealed => vault.unseal(sealed.replace(/#.*/, '')),
    }
    const { a, b, storeId } = await twoDesktops(salted, SECRET)
    await a.ask('stores.edit', { storeId, profile: locked('Retyped'), password: SECRET })
    expect(sealedIn(a.folder)).toMatch(/#2$/)
    await adopted(b, 'Retyped')
    await b.ask('stores.edit', { storeId, profile: locked('Renamed') })
    expect(sealedIn(a.folder)).toMatch(/#2$/)
    expect(b.list()?.stores).toMatchObject([{ password: 'kept', revision: 1 }])
  })

  it('replaces the old one in each console that can unseal it', async () => {
    const { a, b, storeId } = await twoDesktops(durableVault(), 'wrong-password')
    await expect(b.ask('stores.describe', { storeId })).rejects.toThrow('STORE_DENIED')
    await a.ask('stores.edit', { storeId, profile: locked('Corrected'), password: SECRET })
    await expect
      .poll(() => b.list()?.stores)
      .toMatchObject([{ name: 'Corrected', password: 'kept', revision: 2 }])
    await b.ask('stores.describe', { storeId })
  })

  async function twoDesktops(vault: SecretVault, password: string) {
    const a = openConsole(undefined, {}, { vault })
    const b = openConsole(a.folder, {}, { vault })
    const { storeId } = await a.ask('stores.add', { profile: locked('Orders'), password })
    await expect.poll(() => b.list()?.stores[0]?.revision).toBe(1)
    return { a, b, storeId }
  }
})

it('keeps its stores when the file is lost, and writes them all again', async () => {
  const { ask, list, folder } = openConsole()
  await ask('stores.add', { profile: profile() })
  rmSync(join(folder, 'stores.json'))
  await ask('stores.add', { profile: profile({ name: 'New', address: 'memory:new' }) })
  expect(list()?.stores.map(({ name }) => name)).toEqual(['Orders', 'New'])
  expect(storesIn(folder)).toHaveLength(2)
})

it('leaves a file alone that an operator is editing, and reports it', async () => {
  const { ask, list, folder } = openConsole()
  await ask('stores.add', { profile: profile() })
  writeFileSync(join(folder, 'stores.json'), '{"version": 1, ')
  await expect(ask('stores.add', { profile: profile({ name: 'New' }) })).rejects.toThrow(
    'REFUSED: The list of stores could not be understood. It is not written before you fix or move stores.json',
  )
  expect(readFileSync(join(folder, 'stores.json'), 'utf8')).toBe('{"version": 1, ')
  await expect.poll(() => list()?.notice).toMatch(/could not be understood/)
})
