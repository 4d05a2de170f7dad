import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { auditLines } from '../audit/lines.ts'
import { everythingIn, openConsole, profile } from '../console.ts'

const SECRET = 's3cr3t-word'

it('audits every decision about a store: before, after, and outcome', async () => {
  const { ask, folder } = openConsole()
  const address = `redis://ops:${SECRET}@127.0.0.1:1/0`
  const { storeId } = await ask('stores.add', {
    profile: profile({ address, production: true, readOnly: true }),
  })
  const shown = 'redis://ops@127.0.0.1:1/0'
  const edited = profile({ name: 'Orders 2', address: shown, readOnly: true })
  await ask('stores.edit', { storeId, profile: edited, password: `${SECRET}-2` })
  await ask('stores.add', { profile: profile({ name: 'ORDERS 2' }) }).catch(() => {})
  await ask('stores.remove', { storeId })
  await ask('stores.remove', { storeId }).catch(() => {})
  const protectedStore = { storeName: 'Orders', store: shown, production: true, readOnly: true }
  expect(auditLines(folder)).toMatchObject([
    { event: 'settings', method: 'stores.add', ...protectedStore },
    { event: 'settings', method: 'stores.add', ...protectedStore, outcome: 'done' },
    {
      event: 'settings',
      method: 'stores.edit',
      storeName: 'Orders 2',
      changed: { storeName: { from: 'Orders', to: 'Orders 2' }, production: { from: true, to: false } },
      credentials: 'set',
    },
    { method: 'stores.edit', outcome: 'done' },
    { method: 'stores.add', storeName: 'ORDERS 2' },
    { method: 'stores.add', error: { code: 'BAD_INPUT' } },
    { method: 'stores.remove', storeName: 'Orders 2', readOnly: true },
    { method: 'stores.remove', outcome: 'done' },
    { method: 'stores.remove', storeId },
    { method: 'stores.remove', error: { code: 'NOT_FOUND' } },
  ])
  expect(everythingIn(folder)).not.toContain(SECRET)
})

it('removes no protection without a log, but allows everything else', async () => {
  const folder = dataFolder()
  // A folder in place of the log makes it unwritable.
  mkdirSync(join(folder, 'audit-000001.jsonl'))
  const { ask } = openConsole(folder)
  const plain = await ask('stores.add', { profile: profile({ name: 'Plain', address: 'memory:p' }) })
  const { storeId } = await ask('stores.add', { profile: profile({ production: true, readOnly: true }) })
  for (const weaker of [{ production: true }, { readOnly: true }, {}])
    await expect(ask('stores.edit', { storeId, profile: profile(weaker) })).rejects.toThrow('AUDIT_FAILED')
  const moved = profile({ production: true, readOnly: true, address: 'memory:elsewhere' })
  await expect(ask('stores.edit', { storeId, profile: moved })).rejects.toThrow('AUDIT_FAILED')
  await expect(ask('stores.remove', { storeId })).rejects.toThrow('AUDIT_FAILED')
  const kept = JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores
  expect(kept).toMatchObject([{ storeId: plain.storeId }, { profile: { production: true, readOnly: true } }])
  await ask('stores.edit', {
    storeId,
    profile: profile({ name: 'Renamed', production: true, readOnly: true }),
  })
  await ask('stores.edit', {
    storeId: plain.storeId,
    profile: profile({ name: 'Plain', address: 'memory:p', readOnly: true }),
  })
  await ask('locks.inspect', { storeId, id: 'nothing' })
  expect(existsSync(join(folder, 'audit.lock'))).toBe(false)
})
