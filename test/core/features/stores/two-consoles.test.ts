import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
  await expect.poll(() => names(a), { timeout: 10_000 }).toEqual(['Billing', 'Orders'])
  const { storeId } = billing
  await expect.poll(() => b.list()?.stores.find(each => each.storeId === storeId)?.revision).toBe(1)
  await expect(
    b.ask('locks.release', { storeId, id: 'x', fence: 'f', confirm: 'Billing', reason: 'r' }),
  ).rejects.toThrow('REFUSED: The store Billing is set to read-only')
})

it('has no two stores with one name, whichever consoles add them', async () => {
  const { a, b, kept } = twoConsoles()
  await a.ask('stores.add', { profile: profile() })
  await expect(b.ask('stores.add', { profile: profile({ name: 'orders' }) })).rejects.toThrow('BAD_INPUT')
  expect(kept()).toHaveLength(1)
})

it('says of a store that another console removed that it is gone, and closes it', async () => {
  const { a, b } = twoConsoles()
  const { storeId } = await a.ask('stores.add', { profile: profile() })
  await expect.poll(() => names(b), { timeout: 10_000 }).toEqual(['Orders'])
  await a.ask('stores.remove', { storeId })
  await expect(b.ask('stores.edit', { storeId, profile: profile({ name: 'New' }) })).rejects.toThrow(
    /^NOT_FOUND: (The store Orders was removed in another console|There is no such store)/,
  )
  expect(names(b)).toEqual([])
  await expect(b.ask('stores.describe', { storeId })).rejects.toThrow('NOT_FOUND')
})

it('does not take a protection away that another console has just added', async () => {
  const { a, b } = twoConsoles()
  const { storeId } = await a.ask('stores.add', { profile: profile() })
  await expect.poll(() => names(b), { timeout: 10_000 }).toEqual(['Orders'])
  await a.ask('stores.edit', { storeId, profile: profile({ readOnly: true }) })
  const rename = b.ask('stores.edit', { storeId, profile: profile({ name: 'Renamed' }) })
  // Unless the console has learned of it in the meantime: then the edit is meant, and on record.
  const outcome = await rename.then(
    () => 'edited',
    error => String(error),
  )
  if (outcome !== 'edited') expect(outcome).toContain('marked production or read-only in the meantime')
  await expect.poll(() => b.list()?.stores[0]?.readOnly, { timeout: 10_000 }).toBe(outcome !== 'edited')
})

it('follows an edit of another console: its rules, its address, and its password only for the same server', async () => {
  const vault = durableVault()
  const a = openConsole(undefined, {}, { vault })
  const b = openConsole(a.folder, {}, { vault })
  const address = 'redis://127.0.0.1:1/0'
  const { storeId } = await a.ask('stores.add', { profile: profile({ address }), password: 'hunter2hunter2' })
  await expect.poll(() => b.list()?.stores[0]?.password, { timeout: 10_000 }).toBe('kept')
  const edited = profile({ address: 'redis://127.0.0.2:1/0', readOnly: true })
  await a.ask('stores.edit', { storeId, profile: edited })
  await expect
    .poll(() => b.list()?.stores[0], { timeout: 10_000 })
    .toMatchObject({ address: 'redis://127.0.0.2:1/0', readOnly: true, password: 'none' })
})

it('keeps its stores when the file is lost, and writes all of them again', async () => {
  const { ask, list, folder } = openConsole()
  await ask('stores.add', { profile: profile() })
  rmSync(join(folder, 'stores.json'))
  await ask('stores.add', { profile: profile({ name: 'New', address: 'memory:new' }) })
  expect(list()?.stores.map(({ name }) => name)).toEqual(['Orders', 'New'])
  expect(storesIn(folder)).toHaveLength(2)
})

it('changes nothing in a file that someone is editing by hand, and says so', async () => {
  const { ask, list, folder } = openConsole()
  await ask('stores.add', { profile: profile() })
  writeFileSync(join(folder, 'stores.json'), '{"version": 1, ')
  await expect(ask('stores.add', { profile: profile({ name: 'New' }) })).rejects.toThrow(
    'REFUSED: The list of stores could not be understood. It is not written before you fix or move stores.json',
  )
  expect(readFileSync(join(folder, 'stores.json'), 'utf8')).toBe('{"version": 1, ')
  await expect.poll(() => list()?.notice, { timeout: 10_000 }).toMatch(/could not be understood/)
})
