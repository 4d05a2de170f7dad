import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdRecordSchema } from '../../../../electron/core/features/holds/hold-record.ts'
import { holdsForMaintenance } from '../../../../shared/hold-words.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { profile } from '../console.ts'
import { aMemory, holding, jobAt, MINUTE, MovedClock, movedServer } from './holding.ts'

const KEY = 'acme:nightly'

async function held(more: Parameters<typeof holding>[0] = {}) {
  const clock = new MovedClock()
  const address = aMemory()
  const server = movedServer(address, clock)
  const c = await holding({ address, clock, ...more })
  const endsAt = () => (server.records.get(KEY) as { expires_at?: number } | undefined)?.expires_at ?? 0
  return { ...c, server, job: jobAt(server, KEY), endsAt, leftMs: () => endsAt() * 1000 - clock.now() }
}

describe('a maintenance hold', () => {
  it('blocks a job, names its operator and reason, and lets the job run after its release', async () => {
    const c = await held()
    const { holdId, ...hold } = await c.taken(KEY)
    expect(hold).toMatchObject({
      ...{ key: KEY, format: 'tenant-pipeline', lockId: KEY, state: 'held', mode: 'renewed', problem: null },
      ...{
        storeId: c.storeId,
        storeName: 'Orders',
        reason: 'the nightly export is broken',
        elsewhere: false,
      },
    })
    const holder = c.job.start()
    expect(holdsForMaintenance(holder)).toBe(hold.by)
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
    expect(c.job.start()).toBeNull()
    await c.until(holdId, { state: 'ended' })
  })

  it('is audited before the lock is acquired, and when it is released', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    await c.ask('holds.extend', { holdId, forMs: 10 * MINUTE, reason: 'not done yet' })
    await c.ask('holds.release', { holdId })
    expect(c.audited().map(line => [line.event, line['method'], line['outcome'] ?? line['reason']])).toEqual([
      ['intent', 'holds.take', 'the nightly export is broken'],
      ['outcome', 'holds.take', 'held'],
      ['intent', 'holds.extend', 'not done yet'],
      ['outcome', 'holds.extend', 'extended'],
      ['intent', 'holds.release', 'the nightly export is broken'],
      ['outcome', 'holds.release', 'released'],
    ])
    expect(c.audited().every(line => line['store'] === c.address || line.event === 'outcome')).toBe(true)
    expect(
      c
        .audited()
        .filter(line => line.event === 'intent')
        .every(line => line['key'] === KEY),
    ).toBe(true)
  })

  it('is refused without a reason, or if it cannot be audited', async () => {
    const folder = dataFolder()
    // A folder in place of the log makes it unwritable.
    mkdirSync(join(folder, 'audit-000001.jsonl'))
    const c = await held({ folder })
    await expect(c.taken(KEY)).rejects.toThrow(/^AUDIT_FAILED/)
    await expect((await held()).taken(KEY, { reason: '  ' })).rejects.toThrow(/^REFUSED: .*needs a reason/)
    expect(c.server.records.size).toBe(0)
    expect(c.holds()).toEqual([])
  })

  it('is refused if its proof of ownership cannot be stored', async () => {
    const folder = dataFolder()
    mkdirSync(join(folder, 'holds.json'))
    const c = await held({ folder })
    await expect(c.taken(KEY)).rejects.toThrow(/^REFUSED: The list of maintenance holds/)
    expect(c.server.records.size).toBe(0)
  })

  it('is refused while the list is unreadable, and leaves the file alone for other consoles', async () => {
    const folder = dataFolder()
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'holds.json')
    writeFileSync(file, '{"version": 1, "holds": [')
    const c = await held({ folder })
    await expect.poll(c.notice).toContain('could not be understood')
    await expect(c.taken(KEY)).rejects.toThrow('fix or move holds.json')
    expect(readFileSync(file, 'utf8')).toBe('{"version": 1, "holds": [')
    expect(c.server.records.size).toBe(0)
    rmSync(file)
    await c.taken(KEY)
    await expect.poll(c.notice).toBeNull()
  })

  it('survives the deletion of its list', async () => {
    const c = await held()
    const file = join(c.folder, 'holds.json')
    const { holdId } = await c.taken(KEY)
    rmSync(file)
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain(holdId)
    c.clock.pass(40_000)
    await expect.poll(c.leftMs).toBeGreaterThan(50_000)
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
  })

  it('is renewed and can be released while its list cannot be written', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    // Again, in case the console was about to write it.
    const damage = () => {
      writeFileSync(join(c.folder, 'holds.json'), 'damaged')
      return c.notice()
    }
    await expect.poll(() => damage() ?? '').toContain('could not be understood')
    c.clock.pass(40_000)
    await expect.poll(c.leftMs).toBeGreaterThan(50_000)
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
    expect(c.server.records.size).toBe(0)
    expect(readFileSync(join(c.folder, 'holds.json'), 'utf8')).toBe('damaged')
  })

  it('is not reported as extended if it was lost since its last renewal', async () => {
    const c = await held()
    const { holdId, until } = await c.taken(KEY)
    c.job.end()
    c.job.start()
    await expect(c.ask('holds.extend', { holdId, forMs: 10 * MINUTE })).rejects.toThrow(
      'REFUSED: The hold has ended. Another holder has the lock now.',
    )
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'lost' }) })
    expect(c.job.holder()).toBe('run-1')
    expect(c.audited().filter(line => line['outcome'] === 'extended')).toEqual([])
    expect(until).not.toBeNull()
  })

  it('stops reporting an unreadable list once it is readable', async () => {
    const folder = dataFolder()
    const file = join(folder, 'holds.json')
    mkdirSync(file, { recursive: true })
    const c = await held({ folder })
    await expect.poll(c.notice).toContain('cannot be read')
    await expect(c.take(KEY)).rejects.toThrow('cannot be read')
    expect(c.server.records.size).toBe(0)
    rmdirSync(file)
    await expect.poll(c.notice).toBeNull()
    await c.taken(KEY)
  })

  it('is neither renewed nor released in a store set to read-only, and says so', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    const readOnly = { ...profile({ address: c.address }), readOnly: true }
    await c.ask('stores.edit', { storeId: c.storeId, profile: readOnly })
    c.clock.pass(21_000)
    await c.until(holdId, { state: 'held', problem: expect.stringContaining('read-only') })
    await expect(c.ask('holds.release', { holdId })).rejects.toThrow(/^REFUSED: .*read-only/)
    await expect(c.ask('holds.extend', { holdId, forMs: MINUTE })).rejects.toThrow(/^REFUSED: .*read-only/)
    expect(c.server.records.size).toBe(1)
  })

  it('stops waiting in a store set to read-only, without touching the store', async () => {
    const c = await held()
    c.job.start()
    const { holdId } = await c.taken(KEY, { waitMs: 10 * MINUTE })
    const readOnly = { ...profile({ address: c.address }), readOnly: true }
    await c.ask('stores.edit', { storeId: c.storeId, profile: readOnly })
    await c.until(holdId, { state: 'waiting', problem: expect.stringContaining('read-only') })
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'given-up' })
    expect(c.audited().at(-1)).toMatchObject({ event: 'outcome', outcome: 'given-up' })
    await expect(c.ask('holds.release', { holdId })).rejects.toThrow(/already ended/)
    expect(c.job.holder()).toBe('run-1')
  })

  it('refuses a held lock, names its holder, and changes nothing', async () => {
    const c = await held()
    c.job.start()
    expect(await c.take(KEY)).toMatchObject({
      outcome: 'refused',
      other: 'run-1 (scheduler)',
      current: { key: KEY, owner: 'run-1' },
    })
    expect(c.job.holder()).toBe('run-1')
    expect(c.holds()).toEqual([])
    expect(c.audited().at(-1)).toMatchObject({ event: 'outcome', outcome: 'refused' })
  })

  it('waits for a held lock, and acquires it when it is free', async () => {
    const c = await held()
    c.job.start()
    const waiting = await c.taken(KEY, { waitMs: 10 * MINUTE })
    expect(waiting).toMatchObject({ state: 'waiting', other: 'run-1 (scheduler)', until: null, lockId: null })
    c.job.end()
    await c.until(waiting.holdId, { state: 'held', other: null, lockId: KEY })
    expect(holdsForMaintenance(c.job.holder() ?? null)).toBe(waiting.by)
    await expect
      .poll(() => c.audited().map(line => [line.event, line['outcome']]))
      .toEqual([
        ['intent', undefined],
        ['outcome', 'waiting'],
        ['settled', 'held'],
      ])
  })

  it('stops waiting on request, and when the wait times out', async () => {
    const c = await held()
    c.job.start()
    const { holdId } = await c.taken(KEY, { waitMs: 10 * MINUTE })
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'given-up' })
    const second = await c.taken(KEY, { waitMs: 10 * MINUTE })
    c.clock.pass(11 * MINUTE)
    await c.until(second.holdId, { state: 'ended', ended: expect.objectContaining({ how: 'given-up' }) })
    expect(c.job.holder()).toBe('run-1')
    await expect.poll(() => c.audited().at(-1)).toMatchObject({ event: 'settled', outcome: 'given-up' })
  })

  it('renews a lease of one minute, and is released when its time is over', async () => {
    const c = await held()
    const { holdId, until } = await c.taken(KEY, { forMs: 2 * MINUTE })
    c.clock.stop()
    const pastEndMs = () => c.endsAt() * 1000 - (until ?? 0)
    expect(c.leftMs()).toBeLessThanOrEqual(MINUTE)
    for (let i = 0; i < 3; i++) {
      c.clock.pass(20_000)
      await expect.poll(c.leftMs).toBeGreaterThan(50_000)
    }
    c.clock.pass(45_000)
    // The last renewal ends shortly after the hold.
    await expect.poll(pastEndMs).toBeGreaterThan(0)
    expect(pastEndMs()).toBeLessThanOrEqual(6000)
    await c.until(holdId, { state: 'held' })
    c.clock.pass(16_000)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'ran-out' }) })
    expect(c.server.records.size).toBe(0)
    const settled = { event: 'settled', outcome: 'ran-out', key: KEY }
    await expect.poll(() => c.audited().at(-1)).toMatchObject(settled)
    // Renewals are not audited; the release is, before it happens.
    expect(c.audited().map(({ event }) => event)).toEqual(['intent', 'outcome', 'acting', 'settled'])
  })

  it('is acquired for its whole time at once in mode once', async () => {
    const c = await held()
    const { holdId, until } = await c.taken(KEY, { mode: 'once', forMs: 60 * MINUTE })
    expect(Math.abs(c.endsAt() * 1000 - (until ?? 0))).toBeLessThan(1000)
    const longer = await c.ask('holds.extend', { holdId, forMs: 30 * MINUTE })
    expect(longer.until).toBe((until ?? 0) + 30 * MINUTE)
    expect(Math.abs(c.endsAt() * 1000 - (longer.until ?? 0))).toBeLessThan(1000)
    c.clock.pass(91 * MINUTE)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'ran-out' }) })
  })

  it('is extended from its planned end', async () => {
    const c = await held()
    const { holdId, until } = await c.taken(KEY, { forMs: 2 * MINUTE })
    const { until: later } = await c.ask('holds.extend', { holdId, forMs: 5 * MINUTE })
    expect(later).toBe((until ?? 0) + 5 * MINUTE)
    await expect(c.ask('holds.extend', { holdId, forMs: 7 * 1440 * MINUTE })).rejects.toThrow(/seven days/)
  })

  it.each(['renewed', 'once'] as const)('reports its loss to another holder (%s)', async mode => {
    const c = await held()
    const { holdId } = await c.taken(KEY, { mode })
    c.server.remove(KEY)
    c.job.start()
    c.clock.pass(21_000)
    await c.until(holdId, {
      state: 'ended',
      other: 'run-1 (scheduler)',
      ended: expect.objectContaining({ how: 'lost', message: 'Another holder has the lock now.' }),
    })
    expect(c.job.holder()).toBe('run-1')
    await expect.poll(() => c.audited().at(-1)).toMatchObject({ event: 'settled', outcome: 'lost', key: KEY })
    await expect(c.ask('holds.release', { holdId })).rejects.toThrow(/already ended/)
  })

  it('survives an outage shorter than its lease, and is lost in a longer one', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    c.server.up = false
    c.clock.pass(21_000)
    await c.until(holdId, { state: 'held', problem: 'The memory store is switched off' })
    await expect(c.ask('holds.release', { holdId })).rejects.toThrow(/^STORE_UNREACHABLE/)
    c.server.up = true
    c.clock.pass(3000)
    await c.until(holdId, { state: 'held', problem: null })
    c.server.up = false
    c.clock.pass(61_000)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'lost' }) })
  })

  it('is not renewed while its store is closed, says so, and continues if it is opened in time', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    await c.ask('stores.setOpen', { storeId: c.storeId, open: false })
    await c.until(holdId, { storeId: null, state: 'held', problem: expect.stringContaining('not open here') })
    await c.ask('stores.setOpen', { storeId: c.storeId, open: true })
    c.clock.pass(21_000)
    await c.until(holdId, { state: 'held', problem: null, storeId: c.storeId })
    await expect.poll(c.leftMs).toBeGreaterThan(39_000)
    await c.ask('stores.setOpen', { storeId: c.storeId, open: false })
    c.clock.pass(61_000)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'ran-out' }) })
  })

  it('is refused in a read-only store, and without the name of a production store', async () => {
    const readOnly = await held({ profile: { readOnly: true } })
    await expect(readOnly.take(KEY)).rejects.toThrow(/^REFUSED: .*read-only/)
    const production = await held({ profile: { production: true } })
    await expect(production.take(KEY)).rejects.toThrow(/^REFUSED: .*not typed/)
    expect([readOnly.server.records.size, production.server.records.size]).toEqual([0, 0])
    expect(await production.take(KEY, { confirm: 'Orders' })).toMatchObject({ outcome: 'held' })
  })

  it('keeps its proof of ownership from other accounts, the screen and the log', async () => {
    const c = await held()
    const { holdId } = await c.taken(KEY)
    const owner = c.job.start() ?? ''
    expect(statSync(join(c.folder, 'holds.json')).mode & 0o777).toBe(0o600)
    await c.until(holdId, { state: 'held' })
    const { holds } = JSON.parse(readFileSync(join(c.folder, 'holds.json'), 'utf8'))
    expect(Object.keys(holds[0]).sort()).toEqual(Object.keys(holdRecordSchema.shape).sort())
    await c.ask('holds.release', { holdId })
    expect(JSON.stringify(c.audited())).not.toContain(owner)
    expect(JSON.stringify(c.holds())).not.toContain(owner)
  })

  it('forgets the oldest ended holds', async () => {
    const c = await held()
    for (let i = 0; i < 22; i++) {
      const { holdId } = await c.taken(`acme:job-${i}`)
      await c.ask('holds.release', { holdId })
    }
    const newest = Array.from({ length: 20 }, (_, i) => `acme:job-${i + 2}`)
    await expect.poll(() => new Set(c.holds().map(({ key }) => key))).toEqual(new Set(newest))
  })
})
