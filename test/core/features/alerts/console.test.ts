import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCore } from '../../../../electron/core/compose.ts'
import { openSession } from '../../../../electron/core/dispatch.ts'
import { whoIsHere } from '../../../../electron/core/lib/operator.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import type { AlertsEvent, RuleBook } from '../../../../shared/alerts.ts'
import { createClient } from '../../../../shared/client.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { auditLines } from '../audit/lines.ts'
import { openConsole, profile } from '../console.ts'

const HOUR = 3_600_000
const USUAL: RuleBook = { all: {}, stores: {}, notify: true }

/** A console that attends to a store with one stuck lock, and what its screens are told of alerts. */
async function consoleWithStuckLock(name: string, folder = dataFolder()) {
  const server = memoryServer(name)
  const stuck = { tenant_id: 'acme', pipeline_id: 'nightly', pipeline_logging_id: 'run-1', locked_by: 'cron' }
  acquirePipeline(server, stuck, Date.now() - 2 * HOUR)
  const console = openConsole(folder)
  const told: AlertsEvent[] = []
  console.client.open(
    'alerts.watch',
    {},
    event => told.push(event),
    () => {},
  )
  const { storeId } = await console.ask('stores.add', { profile: profile({ address: `memory:${name}` }) })
  await expect.poll(() => told.at(-1)?.open).toBe(1)
  return { ...console, server, storeId, told, last: () => told.at(-1) }
}

describe('a console', () => {
  it('warns while no screen is open, and audits every decision about alerts', async () => {
    const { core, ask, last, folder, storeId } = await consoleWithStuckLock('alerts-record')
    const alert = last()?.alerts[0]
    expect(alert).toMatchObject({
      rule: 'expired',
      storeName: 'Orders',
      key: 'acme:nightly',
      holder: 'run-1 (cron)',
    })
    expect(core.metrics.read(0).alerts).toEqual([{ rule: 'expired', store: 'Orders', count: 1 }])
    await ask('alerts.acknowledge', { alertIds: [alert?.alertId ?? '', 'no-such'], reason: 'ticket 4711' })
    await expect.poll(() => last()?.unacknowledged).toBe(0)
    expect(last()?.alerts[0]?.acknowledged).toMatchObject({ by: whoIsHere().user, reason: 'ticket 4711' })

    const scope = { rule: 'expired' as const, storeId, lockId: 'acme:nightly' }
    const mute = await ask('alerts.mute', { ...scope, reason: 'until Monday', forMs: HOUR })
    expect(mute).toMatchObject({
      address: 'memory:alerts-record',
      until: mute.at + HOUR,
      by: whoIsHere().user,
    })
    await expect.poll(() => last()?.open).toBe(0)
    await ask('alerts.unmute', { muteId: mute.muteId })
    await expect.poll(() => last()?.open).toBe(1)

    const off = { enabled: false, limit: null, forMs: 0 }
    const book = { all: { expired: off }, stores: {}, notify: false }
    expect(await ask('alerts.decide', { book })).toEqual(book)
    await expect.poll(() => last()?.open).toBe(0)

    const store = 'memory:alerts-record'
    const before = { all: {}, stores: {}, notify: true }
    const stores = { [store]: { 'no-expiry': off } }
    expect(await ask('alerts.decide', { book: { ...before, stores }, before })).toEqual({ ...book, stores })

    const lines = auditLines(folder).filter(({ method }) => String(method).startsWith('alerts.'))
    expect(lines).toMatchObject([
      {
        ...{ event: 'settings', method: 'alerts.acknowledge', reason: 'ticket 4711', count: 1 },
        ...{ rule: 'expired', store, storeName: 'Orders', key: 'acme:nightly' },
      },
      { method: 'alerts.acknowledge', outcome: 'done' },
      {
        event: 'settings',
        method: 'alerts.mute',
        rule: 'expired',
        store,
        id: 'acme:nightly',
        reason: 'until Monday',
      },
      { method: 'alerts.mute', outcome: 'done' },
      { method: 'alerts.unmute', muteId: mute.muteId },
      { method: 'alerts.unmute', outcome: 'done' },
      {
        method: 'alerts.decide',
        changed: { 'expired, all stores': { from: 'default', to: off }, notify: { from: true, to: false } },
      },
      { method: 'alerts.decide', outcome: 'done' },
      // Only what was changed in the rules that were shown.
      { method: 'alerts.decide', changed: { [`no-expiry, ${store}`]: { from: 'default', to: off } } },
      { method: 'alerts.decide', outcome: 'done' },
    ])
    expect(lines.every(({ user }) => user === whoIsHere().user)).toBe(true)
  })

  it('acknowledges all alerts of a rule in a store, listed or not, and names some in the audit log', async () => {
    const { ask, last, folder, storeId, server } = await consoleWithStuckLock('alerts-group')
    for (let i = 0; i < 300; i++) {
      const stuck = {
        tenant_id: 'acme',
        pipeline_id: `p-${i}`,
        pipeline_logging_id: `run-${i}`,
        locked_by: 'cron',
      }
      acquirePipeline(server, stuck, Date.now() - 2 * HOUR)
    }
    await expect.poll(() => last()?.unacknowledged).toBe(301)
    await ask('alerts.acknowledge', { group: { rule: 'expired', storeId }, reason: 'being cleaned up' })
    await expect.poll(() => last()?.unacknowledged).toBe(0)
    expect(last()).toMatchObject({ open: 301, groups: [{ open: 301, unacknowledged: 0 }] })
    const [line] = auditLines(folder).filter(({ method }) => method === 'alerts.acknowledge')
    expect(line).toMatchObject({ count: 301, alerts: expect.any(Array), reason: 'being cleaned up' })
    expect(line?.['alerts']).toHaveLength(100)
    await expect(ask('alerts.acknowledge', { reason: 'nothing' })).rejects.toThrow('BAD_INPUT')
  })

  it('ends the alert when the lock is released, and when its store is closed', async () => {
    const { ask, last, storeId, server } = await consoleWithStuckLock('alerts-end')
    server.records.clear()
    await expect.poll(() => last()?.alerts[0]?.until).toEqual(expect.any(Number))
    acquirePipeline(
      server,
      { tenant_id: 'acme', pipeline_id: 'other', pipeline_logging_id: 'run-2', locked_by: 'cron' },
      Date.now() - 2 * HOUR,
    )
    await expect.poll(() => last()?.open).toBe(1)
    await ask('stores.setOpen', { storeId, open: false })
    await expect.poll(() => last()?.open).toBe(0)
  })

  it('remembers acknowledgements across restarts', async () => {
    const first = await consoleWithStuckLock('alerts-restart')
    await first.ask('alerts.acknowledge', {
      alertIds: [first.last()?.alerts[0]?.alertId ?? ''],
      reason: 'being looked at',
    })
    await first.ask('stores.remove', { storeId: first.storeId })
    await first.close()
    const again = await consoleWithStuckLock('alerts-restart', first.folder)
    expect(again.last()).toMatchObject({ open: 1, unacknowledged: 0 })
  })

  it('refuses decisions that make no sense, and audits the refusal', async () => {
    const { ask, folder } = await consoleWithStuckLock('alerts-refuse')
    const decide = (rule: string, setting: object) =>
      ask('alerts.decide', {
        book: { ...USUAL, stores: { 'memory:x': { [rule]: { enabled: true, forMs: 0, ...setting } } } },
      })
    await expect(decide('lease-used', { limit: null })).rejects.toThrow(
      'BAD_INPUT: The rule lease-used needs a limit',
    )
    await expect(decide('lease-used', { limit: 80 })).rejects.toThrow('a part of the lease')
    await expect(decide('contention', { limit: 0.5 })).rejects.toThrow('a whole number')
    await expect(decide('expired', { limit: 5 })).rejects.toThrow('nothing to compare')
    await expect(ask('alerts.acknowledge', { alertIds: ['x'], reason: 'y' })).rejects.toThrow('NOT_FOUND')
    await expect(ask('alerts.unmute', { muteId: 'x' })).rejects.toThrow('NOT_FOUND')
    const anything = { rule: null, lockId: null, forMs: null, reason: 'y' }
    await expect(ask('alerts.mute', { ...anything, storeId: 'x' })).rejects.toThrow('NOT_FOUND')
    const failed = auditLines(folder).filter(({ error }) => error !== undefined)
    expect(failed.map(({ method }) => method)).toEqual([
      ...Array(4).fill('alerts.decide'),
      ...['alerts.acknowledge', 'alerts.unmute', 'alerts.mute'],
    ])
  })

  it('can be silenced on a full disk', async () => {
    const folder = dataFolder()
    for (const name of ['audit-000001.jsonl', 'alerts.json']) mkdirSync(join(folder, name))
    const { ask, last } = await consoleWithStuckLock('alerts-full', folder)
    await ask('alerts.mute', { rule: null, storeId: null, lockId: null, reason: 'known', forMs: null })
    await expect.poll(() => last()?.open).toBe(0)
    expect(last()?.problem).toContain('until Lockkeeper exits')
  })
})

describe('a host without a list of stores', () => {
  it('follows the rules of the console, and makes no decisions', async () => {
    const first = await consoleWithStuckLock('alerts-cli')
    const { storeId, folder } = first
    await first.ask('alerts.mute', {
      rule: 'expired',
      storeId,
      lockId: 'acme:nightly',
      reason: 'known',
      forMs: null,
    })
    await first.close()
    const before = readFileSync(join(folder, 'alerts.json'), 'utf8')
    const core = createCore({ dataFolder: folder })
    const client = createClient(frame => wire.receive(frame))
    const wire = openSession(core, frame => client.receive(frame))
    const opened = await client.call('stores.open', { address: 'memory:alerts-cli' })
    if (!opened.ok) throw new Error('not opened')
    const told: AlertsEvent[] = []
    const never = () => {}
    client.open('locks.watch', { storeId: opened.value.storeId }, never, never)
    client.open('alerts.watch', {}, event => told.push(event), never)
    await expect
      .poll(() => told.at(-1)?.alerts)
      .toMatchObject([{ rule: 'expired', muteId: expect.any(String) }])
    expect(told.at(-1)?.open).toBe(0)
    for (const call of [
      client.call('alerts.acknowledge', { alertIds: ['x'], reason: 'y' }),
      client.call('alerts.mute', { rule: null, storeId: null, lockId: null, reason: 'y', forMs: null }),
      client.call('alerts.unmute', { muteId: 'x' }),
      client.call('alerts.decide', { book: USUAL }),
    ])
      expect(await call).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } })
    wire.close()
    await core.close()
    expect(readFileSync(join(folder, 'alerts.json'), 'utf8')).toBe(before)
  })
})
