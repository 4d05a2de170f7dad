import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HoldRecord } from '../../../../electron/core/features/holds/hold-record.ts'
import { durableVault } from '../console.ts'
import { aMemory, holding, jobAt, MINUTE, MovedClock, movedServer } from './holding.ts'

const KEY = 'acme:nightly'

async function firstConsole() {
  const clock = new MovedClock()
  const address = aMemory()
  const server = movedServer(address, clock)
  const one = await holding({ address, clock })
  const again = () => holding({ address, clock, folder: one.folder })
  const leftMs = () =>
    ((server.records.get(KEY) as { expires_at?: number } | undefined)?.expires_at ?? 0) * 1000 - clock.now()
  return { one, again, clock, server, leftMs, job: jobAt(server, KEY) }
}

const keptIn = (folder: string): HoldRecord[] =>
  JSON.parse(readFileSync(join(folder, 'holds.json'), 'utf8')).holds

describe('a restarted console', () => {
  it('keeps renewing a hold whose lease has not ended', async () => {
    const { one, again, clock, leftMs } = await firstConsole()
    const { holdId } = await one.taken(KEY)
    await one.close()
    expect(leftMs()).toBeGreaterThan(0)
    clock.pass(30_000)
    const two = await again()
    await two.until(holdId, { state: 'held', elsewhere: false, problem: null })
    await expect.poll(leftMs).toBeGreaterThan(50_000)
    expect((await two.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
  })

  it('extends and releases a hold acquired for its whole time', async () => {
    const { one, again, server } = await firstConsole()
    const { holdId, until } = await one.taken(KEY, { mode: 'once' })
    await one.ask('stores.setOpen', { storeId: one.storeId, open: false })
    await one.until(holdId, {
      storeId: null,
      state: 'held',
      problem: expect.stringMatching(/^Not checked since .* UTC/),
    })
    await one.ask('stores.setOpen', { storeId: one.storeId, open: true })
    await one.close()
    const two = await again()
    expect(await two.ask('holds.extend', { holdId, forMs: MINUTE })).toMatchObject({
      until: (until ?? 0) + MINUTE,
    })
    await two.ask('holds.release', { holdId })
    expect(server.records.size).toBe(0)
  })

  it('reports a hold that was not renewed as ended, and leaves the new holder alone', async () => {
    const { one, again, clock, job } = await firstConsole()
    const { holdId } = await one.taken(KEY)
    await one.close()
    clock.pass(2 * MINUTE)
    const two = await again()
    await two.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'ran-out' }) })
    const second = await two.taken(KEY)
    await two.close()
    clock.pass(2 * MINUTE)
    job.start()
    const three = await again()
    await three.until(second.holdId, {
      state: 'ended',
      other: 'run-1 (scheduler)',
      ended: expect.objectContaining({ how: 'lost' }),
    })
    expect(job.holder()).toBe('run-1')
  })
})

it('a console reports no end of a hold while the store of the hold is being opened', async () => {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const vault = durableVault()
  const slow = { ...vault, unseal: (sealed: string) => opened.then(() => vault.unseal(sealed)) }
  const clock = new MovedClock()
  const address = aMemory()
  const job = jobAt(movedServer(address, clock), KEY)
  const one = await holding({ address, clock, vault })
  const { holdId } = await one.taken(KEY)
  await one.close()
  clock.pass(2 * MINUTE)
  job.start()
  const two = await holding({ address, clock, folder: one.folder, vault: slow })
  await two.until(holdId, { state: 'held', problem: expect.stringContaining('Its lease has ended') })
  open()
  await two.until(holdId, { state: 'ended', other: 'run-1 (scheduler)' })
  expect(two.hold(holdId)?.ended).toMatchObject({ how: 'lost' })
  expect(job.holder()).toBe('run-1')
})

describe('a console that died before it knew that it had the lock', () => {
  /** A process was killed between the two. */
  async function died(mode: 'once' | 'renewed', open = true) {
    const first = await firstConsole()
    const { holdId, until } = await first.one.taken(KEY, { mode })
    await first.one.ask('stores.setOpen', { storeId: first.one.storeId, open })
    await first.one.close()
    const [hold] = keptIn(first.one.folder)
    const unknown = { state: 'waiting', mark: null, lockId: null, leaseUntil: 0 }
    const asked = { ...hold, ...unknown, until: null, heldSince: null, waitsUntil: hold?.askedAt }
    writeFileSync(join(first.one.folder, 'holds.json'), JSON.stringify({ version: 1, holds: [asked] }))
    return { ...first, holdId, until: until ?? 0 }
  }

  it.each(['once', 'renewed'] as const)(
    'is followed by one that keeps the hold (%s) and releases it',
    async mode => {
      const { again, clock, server, holdId, until } = await died(mode)
      clock.pass(20_000)
      const two = await again()
      await two.until(holdId, { state: 'held', problem: null })
      // Not longer than requested; the store counts in seconds.
      expect(Math.abs((two.hold(holdId)?.until ?? 0) - until)).toBeLessThan(3000)
      // Audited after the screens are updated.
      await expect
        .poll(() => two.audited().at(-1))
        .toMatchObject({ event: 'settled', hold: holdId, outcome: 'held' })
      expect((await two.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
      expect(server.records.size).toBe(0)
    },
  )

  it('is followed by one that gives the hold up if the lock was not acquired', async () => {
    const { again, server, holdId } = await died('once')
    server.remove(KEY)
    const two = await again()
    await two.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'given-up' }) })
    expect(server.records.size).toBe(0)
  })

  it('is followed by one that cannot read the lock and reports the hold as given up once it would have ended', async () => {
    const { again, clock, holdId } = await died('once', false)
    const elsewhere = await again()
    await elsewhere.until(holdId, { state: 'waiting', problem: expect.stringContaining('unknown') })
    clock.pass(31 * MINUTE)
    await elsewhere.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'given-up' }) })
    await expect
      .poll(() => elsewhere.audited().at(-1))
      .toMatchObject({ event: 'settled', outcome: 'given-up' })
  })
})

describe('two consoles on one data folder', () => {
  it('share one hold: one renews it, both show it, either can end it', async () => {
    const { one, again, clock, leftMs, server } = await firstConsole()
    const { holdId } = await one.taken(KEY)
    const two = await again()
    await two.until(holdId, { state: 'held', elsewhere: true })
    await one.until(holdId, { state: 'held', elsewhere: false })
    clock.pass(20_000)
    await expect.poll(leftMs).toBeGreaterThan(50_000)
    const longer = await two.ask('holds.extend', { holdId, forMs: MINUTE })
    await one.until(holdId, { until: longer.until })
    expect((await two.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
    await one.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'released' }) })
    expect(server.records.size).toBe(0)
    expect(one.audited().map(({ event }) => event)).toEqual(Array(3).fill(['intent', 'outcome']).flat())
  })

  it('adopt a hold whose console has died', async () => {
    const { one, again, clock, leftMs } = await firstConsole()
    const { holdId } = await one.taken(KEY)
    const two = await again()
    await two.until(holdId, { elsewhere: true })
    await one.close()
    // A process was killed, and the hold still names it.
    const [hold] = keptIn(one.folder)
    const dead = {
      ...hold,
      keeper: {
        pid: 2 ** 22 + 1,
        place: (hold?.keeper ?? (await placeOf())).place,
        started: null,
        instance: 'x',
      },
    }
    writeFileSync(join(one.folder, 'holds.json'), JSON.stringify({ version: 1, holds: [dead] }))
    await two.until(holdId, { state: 'held', elsewhere: false })
    clock.pass(20_000)
    await expect.poll(leftMs).toBeGreaterThan(50_000)
  })
})

async function placeOf() {
  const { myMark } = await import('../../../../electron/core/files/process-mark.ts')
  return myMark()
}
