import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callMethod } from '../../../../electron/core/dispatch.ts'
import { FolderLock } from '../../../../electron/core/files/folder-lock.ts'
import { sleep } from '../../../../electron/core/lib/timers.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { auditLines } from '../audit/lines.ts'
import { openConsole, profile } from '../console.ts'

const kept = (folder: string) => JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores

describe('the list', () => {
  it('survives a restart: added, edited, closed and removed stores', async () => {
    const first = openConsole()
    const orders = await first.ask('stores.add', { profile: profile() })
    expect(orders).toMatchObject({ kind: 'memory', open: true, revision: 1, origin: 'saved', problem: null })
    const billing = await first.ask('stores.add', {
      profile: profile({ name: 'Billing', address: 'memory:b' }),
    })
    const gone = await first.ask('stores.add', { profile: profile({ name: 'Gone', address: 'memory:g' }) })
    const changed = profile({ name: 'Orders 2', colour: 'rose', production: true, readOnly: true })
    await first.ask('stores.edit', { storeId: orders.storeId, profile: changed })
    await first.ask('stores.setOpen', { storeId: billing.storeId, open: false })
    await first.ask('stores.remove', { storeId: gone.storeId })
    await first.close()

    const second = openConsole(first.folder)
    await expect
      .poll(() => second.list()?.stores)
      .toMatchObject([
        { ...changed, storeId: orders.storeId, open: true, revision: 1 },
        { name: 'Billing', open: false, revision: 0 },
      ])
    await second.ask('locks.inspect', { storeId: orders.storeId, id: 'nothing' })
    await expect(second.ask('locks.inspect', { storeId: billing.storeId, id: 'x' })).rejects.toThrow(
      'NOT_FOUND',
    )
    await second.ask('stores.setOpen', { storeId: billing.storeId, open: true })
    await second.ask('locks.inspect', { storeId: billing.storeId, id: 'nothing' })
    expect(statSync(join(first.folder, 'stores.json')).mode & 0o077).toBe(0)
  })

  it('has no two stores of one name, in any case and at any speed', async () => {
    const { ask, list } = openConsole()
    const added = await Promise.allSettled([
      ask('stores.add', { profile: profile() }),
      ask('stores.add', { profile: profile({ name: ' ORDERS ' }) }),
    ])
    expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    const other = await ask('stores.add', { profile: profile({ name: 'Other' }) })
    await expect(ask('stores.edit', { storeId: other.storeId, profile: profile() })).rejects.toThrow(
      'BAD_INPUT',
    )
    await ask('stores.edit', { storeId: other.storeId, profile: profile({ name: 'OTHER' }) })
    expect(list()?.stores.map(({ name }) => name)).toEqual(['Orders', 'OTHER'])
  })

  it('is the only way to close its stores, so it never shows a closed store as open', async () => {
    const { ask, list } = openConsole()
    const { storeId } = await ask('stores.add', { profile: profile() })
    await expect(ask('stores.close', { storeId })).rejects.toThrow('UNSUPPORTED')
    await ask('stores.describe', { storeId })
    expect(list()?.stores).toMatchObject([{ open: true }])
    await ask('stores.setOpen', { storeId, open: false })
    expect(list()?.stores).toMatchObject([{ open: false }])
  })

  it('does not change if it cannot be written', async () => {
    const folder = join(dataFolder(), 'data')
    const { ask, list } = openConsole(folder)
    const { storeId } = await ask('stores.add', { profile: profile() })
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file in place of the folder')
    const before = list()
    const written = /^REFUSED: The list of stores cannot be written/
    await expect(ask('stores.add', { profile: profile({ name: 'New' }) })).rejects.toThrow(written)
    const elsewhere = profile({ readOnly: true, address: 'memory:elsewhere' })
    await expect(ask('stores.edit', { storeId, profile: elsewhere })).rejects.toThrow(written)
    await expect(ask('stores.remove', { storeId })).rejects.toThrow(written)
    expect(list()).toEqual(before)
    await ask('locks.inspect', { storeId, id: 'nothing' })
    // It is opened and closed nevertheless: in an outage that matters more.
    expect(await ask('stores.setOpen', { storeId, open: false })).toMatchObject({ open: false })
  })

  it('shows a store of a newer version with its problem, without the password in its address', async () => {
    const folder = dataFolder()
    const stores = [
      { storeId: 'a', profile: profile({ address: 'etcd://root:hunter2@host/x' }), open: true, sealed: null },
      {
        storeId: 'b',
        profile: profile({ name: 'By hand', address: 'redis://:hunter2@127.0.0.1:1/0' }),
        open: false,
        sealed: null,
      },
    ]
    writeFileSync(join(folder, 'stores.json'), JSON.stringify({ version: 1, stores }))
    const { ask, list, sent } = openConsole(folder)
    await expect
      .poll(() => list()?.stores)
      .toMatchObject([
        { address: 'etcd://host/x', problem: { code: 'BAD_INPUT' } },
        { address: 'redis://127.0.0.1:1/0', password: 'session' },
      ])
    expect(JSON.stringify(sent)).not.toContain('hunter2')
    expect(await ask('stores.edit', { storeId: 'a', profile: profile() })).toMatchObject({ problem: null })
  })
})

it('opens a store while another process holds the audit log, and records it in order afterwards', async () => {
  const { ask, folder } = openConsole()
  const { storeId } = await ask('stores.add', { profile: profile() })
  await ask('stores.setOpen', { storeId, open: false })
  const before = auditLines(folder).length
  let isOpened = false
  await new FolderLock(join(folder, 'audit.lock'), 20_000).run(async () => {
    // Far less than the log waits for another process.
    const opening = ask('stores.setOpen', { storeId, open: true })
    isOpened = await Promise.race([opening.then(({ open }) => open), sleep(15_000).then(() => false)])
  })
  expect(isOpened).toBe(true)
  await expect
    .poll(() => auditLines(folder).slice(before))
    .toMatchObject([
      { method: 'stores.setOpen', store: 'memory:orders', open: true },
      { method: 'stores.setOpen', store: 'memory:orders', open: true, outcome: 'done' },
    ])
})

it('audits the address of a closed store that is opened', async () => {
  const { ask, folder } = openConsole()
  const { storeId } = await ask('stores.add', { profile: profile() })
  await ask('stores.setOpen', { storeId, open: false })
  await ask('stores.setOpen', { storeId, open: true })
  await expect
    .poll(() => auditLines(folder).slice(-2))
    .toMatchObject([
      { store: 'memory:orders', storeName: 'Orders', open: true },
      { store: 'memory:orders', storeName: 'Orders', open: true, outcome: 'done' },
    ])
})

describe('at the start', () => {
  it('opens each given address once, and a listed one under its own name', async () => {
    const first = openConsole()
    const { storeId } = await first.ask('stores.add', { profile: profile({ address: 'memory:kept' }) })
    await first.ask('stores.setOpen', { storeId, open: false })
    await first.close()
    const { list } = openConsole(first.folder, { stores: ['memory:kept', 'memory:given', 'Memory:given'] })
    await expect
      .poll(() => list()?.stores)
      .toMatchObject([
        { name: 'Orders', address: 'memory:kept', origin: 'saved', open: true, revision: 1 },
        { name: 'given', origin: 'given', open: true, revision: 1 },
      ])
    expect(list()?.stores).toHaveLength(2)
    expect(kept(first.folder)).toHaveLength(1)
  })

  it('numbers stores with the same short name', async () => {
    const { list } = openConsole(dataFolder(), { stores: ['memory:a', 'memory:a?format=tenant-pipeline'] })
    await expect.poll(() => list()?.stores.map(({ name }) => name)).toEqual(['a', 'a 2'])
  })

  it('reports an invalid address without repeating it, and opens the others', async () => {
    const { list, sent } = openConsole(dataFolder(), {
      stores: ['redis://:hunter2@host:99999', 'memory:fine'],
    })
    await expect.poll(() => list()?.stores).toMatchObject([{ name: 'fine', revision: 1 }])
    expect(list()?.notice).toContain('The port must be a number')
    expect(JSON.stringify(sent)).not.toContain('hunter2')
  })

  it('opens the practice store only if nothing else is open', async () => {
    const alone = openConsole(dataFolder(), { practice: true })
    await expect
      .poll(() => alone.list()?.stores)
      .toMatchObject([{ address: 'memory:practice', origin: 'given' }])
    const { storeId } = await alone.ask('stores.add', { profile: profile() })
    await alone.close()
    const busy = openConsole(alone.folder, { practice: true })
    await expect.poll(() => busy.list()?.stores).toMatchObject([{ name: 'Orders' }])
    await busy.ask('stores.setOpen', { storeId, open: false })
    await busy.close()
    const idle = openConsole(alone.folder, { practice: true })
    await expect.poll(() => idle.list()?.stores.map(({ open }) => open)).toEqual([false, true])
  })

  it('keeps no list in a host without one', async () => {
    const folder = dataFolder()
    const { createCore } = await import('../../../../electron/core/compose.ts')
    const core = createCore({ dataFolder: folder })
    const call = { signal: AbortSignal.abort(), action: 'action' }
    await expect(callMethod(core, 'stores.add', { profile: profile() }, call)).rejects.toThrow(
      'keeps no list',
    )
    expect(existsSync(join(folder, 'stores.json'))).toBe(false)
  })
})

describe('the rules of a store', () => {
  async function rules(more: Parameters<typeof profile>[0]) {
    const name = `rules-${Math.random()}`
    const server = memoryServer(name)
    acquirePipeline(server, {
      tenant_id: 'acme',
      pipeline_id: 'a',
      pipeline_logging_id: 'run-1',
      locked_by: 'tests',
    })
    const opened = openConsole()
    const address = `memory:${name}`
    const { storeId } = await opened.ask('stores.add', { profile: profile({ address, ...more }) })
    const detail = await opened.ask('locks.inspect', { storeId, id: 'acme:a' })
    const audit = () => auditLines(opened.folder).filter(({ event }) => event !== 'settings')
    const release = { storeId, id: 'acme:a', fence: detail?.lock?.fence ?? '' }
    return { ...opened, server, address, release, audit }
  }

  it('read-only: nothing is released, and the attempt is audited', async () => {
    const { ask, release, server, audit } = await rules({ readOnly: true })
    await expect(ask('locks.release', { ...release, reason: 'stuck', confirm: 'Orders' })).rejects.toThrow(
      'REFUSED: The store Orders is set to read-only: nothing was changed',
    )
    expect(server.records.has('acme:a')).toBe(true)
    expect(audit()).toMatchObject([
      { event: 'intent', method: 'locks.release', storeName: 'Orders', id: 'acme:a', reason: 'stuck' },
      { event: 'outcome', error: { code: 'REFUSED' } },
    ])
  })

  it('apply to a frame that no screen of ours would send, and to the same store opened by its address', async () => {
    const { ask, wire, sent, release, server, address } = await rules({ readOnly: true })
    wire.receive({ type: 'call', id: 9000, method: 'locks.release', input: release })
    await expect
      .poll(() => sent.find(frame => frame.id === 9000))
      .toMatchObject({ result: { ok: false, error: { code: 'REFUSED' } } })
    await expect(ask('stores.open', { address })).rejects.toThrow('UNSUPPORTED')
    expect(server.records.has('acme:a')).toBe(true)
  })

  it('apply to a lock seen through an earlier connection', async () => {
    const { ask, release, server } = await rules({})
    await expect(ask('locks.release', { ...release, revision: 4711 })).rejects.toThrow('REFUSED')
    expect(server.records.has('acme:a')).toBe(true)
  })

  it('production: a release requires the exact name and a reason', async () => {
    const { ask, release, server, audit } = await rules({ production: true })
    for (const more of [
      {},
      { confirm: 'Orders' },
      { confirm: 'orders', reason: 'r' },
      { reason: 'r' },
      { confirm: 'Orders', reason: ' ' },
    ])
      await expect(ask('locks.release', { ...release, ...more })).rejects.toThrow('REFUSED')
    expect(server.records.has('acme:a')).toBe(true)
    expect(audit()).toHaveLength(10)
    expect(await ask('locks.release', { ...release, confirm: 'Orders', reason: 'stuck' })).toMatchObject({
      outcome: 'released',
    })
  })

  it('apply as soon as they are set', async () => {
    const { ask, release, address } = await rules({})
    const { storeId } = release
    const entry = await ask('stores.edit', { storeId, profile: profile({ address, readOnly: true }) })
    // The connection is the same: screens need no new one.
    expect(entry.revision).toBe(1)
    await expect(ask('locks.release', release)).rejects.toThrow('REFUSED')
    await ask('stores.edit', { storeId, profile: profile({ address }) })
    expect(await ask('locks.release', release)).toMatchObject({ outcome: 'released' })
  })
})

describe('several decisions at once', () => {
  it('leave the store as the last one decided, with one connection', async () => {
    const { ask, list } = openConsole()
    const { storeId } = await ask('stores.add', { profile: profile() })
    // The first one has the most to load.
    const addresses = [
      'dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:1',
      'redis://127.0.0.1:1/0',
      'memory:last',
    ]
    await Promise.all(
      addresses.map(address => ask('stores.edit', { storeId, profile: profile({ address }) })),
    )
    expect(list()?.stores).toMatchObject([{ address: 'memory:last', kind: 'memory', problem: null }])
    expect(await ask('stores.describe', { storeId })).toMatchObject({ address: 'memory:last' })
  })

  it('open no store that was removed or closed meanwhile', async () => {
    const { ask, list } = openConsole()
    const removed = await ask('stores.add', { profile: profile() })
    const off = await ask('stores.add', { profile: profile({ name: 'Off' }) })
    const elsewhere = { address: 'memory:elsewhere' }
    await Promise.all([
      ask('stores.edit', { storeId: removed.storeId, profile: profile(elsewhere) }),
      ask('stores.remove', { storeId: removed.storeId }),
      ask('stores.edit', { storeId: off.storeId, profile: profile({ name: 'Off', ...elsewhere }) }),
      ask('stores.setOpen', { storeId: off.storeId, open: false }),
    ])
    for (const { storeId } of [removed, off])
      await expect(ask('stores.describe', { storeId })).rejects.toThrow('NOT_FOUND')
    expect(list()?.stores).toMatchObject([{ name: 'Off', open: false }])
    await Promise.all([
      ask('stores.setOpen', { storeId: off.storeId, open: true }),
      ask('stores.setOpen', { storeId: off.storeId, open: false }),
      ask('stores.setOpen', { storeId: off.storeId, open: true }),
    ])
    expect(await ask('stores.describe', { storeId: off.storeId })).toMatchObject({
      address: 'memory:elsewhere',
    })
  })

  it('never leave the old server behind a new name', async () => {
    const { ask } = openConsole()
    const { storeId } = await ask('stores.add', { profile: profile() })
    const entry = await ask('stores.edit', {
      storeId,
      profile: profile({ address: 'memory:new?format=nonsense' }),
    })
    expect(entry).toMatchObject({ open: true, revision: 2, problem: { code: 'BAD_INPUT' } })
    await expect(ask('stores.describe', { storeId })).rejects.toThrow('NOT_FOUND')
    expect(await ask('stores.edit', { storeId, profile: profile() })).toMatchObject({
      problem: null,
      revision: 3,
    })
  })

  it('end a watch when the store gets another address', async () => {
    const { ask, client } = openConsole()
    const { storeId } = await ask('stores.add', { profile: profile() })
    const ended = new Promise(resolve => client.open('locks.watch', { storeId }, () => {}, resolve))
    const entry = await ask('stores.edit', { storeId, profile: profile({ address: 'memory:another' }) })
    expect(await ended).toEqual({ ok: true, value: null })
    expect(entry.revision).toBe(2)
  })
})
