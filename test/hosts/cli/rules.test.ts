import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditLines } from '../../core/features/audit/lines.ts'
import { openConsole, profile } from '../../core/features/console.ts'
import { followPlan } from '../../core/features/plans/planning.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { confirmOf, operator } from './plans/plan-cli.ts'

describe('the command line beside a console', () => {
  it('changes nothing in a store that a console marked read-only', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const { fence } = await lock('lock:a')
    const o = operator()
    const planned = await o.plan(address)
    mkdirSync(o.env.LOCKKEEPER_DATA_DIR, { recursive: true })
    const c = openConsole(o.env.LOCKKEEPER_DATA_DIR)
    await c.ask('stores.add', { profile: profile({ address, readOnly: true }) })
    const refused = { code: 6, stderr: expect.stringContaining('read-only') }
    expect(await o.apply(confirmOf(planned))).toMatchObject(refused)
    expect(await o.run('release', address, 'lock:a', '--fence', fence)).toMatchObject(refused)
    expect(await client.get('lock:a')).toBe('token-a')
  })

  it('keeps to the rules of a store, however its address is spelled', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const c = openConsole(o.env.LOCKKEEPER_DATA_DIR)
    const { storeId } = await c.ask('stores.add', {
      profile: profile({ name: 'billing', address: `${address}?match=other:*`, readOnly: true }),
    })
    const { fence } = await lock('lock:a')
    const local = address.replace('127.0.0.1', 'localhost')
    const hold = (...more: string[]) =>
      o.run('hold', local, 'lock:b', '--for', '1m', '--once', '--reason', 'outage', ...more)
    const refused = { code: 6, stderr: expect.stringContaining('read-only') }
    expect(await o.run('release', local, 'lock:a', '--fence', fence)).toMatchObject(refused)
    expect(await hold()).toMatchObject(refused)
    await c.ask('stores.edit', {
      storeId,
      profile: profile({ name: 'billing', address: `${address}?match=other:*`, production: true }),
    })
    expect(await hold()).toMatchObject({ code: 6, stderr: expect.stringContaining('--confirm "billing"') })
    expect(await client.exists('lock:b')).toBe(0)
    expect(await hold('--confirm', 'billing')).toMatchObject({ code: 0 })
    expect(await client.exists('lock:a', 'lock:b')).toBe(2)
  })

  it('changes nothing while the rules of the stores cannot be read, but still lists', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const { fence } = await lock('lock:a')
    const o = operator()
    mkdirSync(o.env.LOCKKEEPER_DATA_DIR, { recursive: true })
    writeFileSync(join(o.env.LOCKKEEPER_DATA_DIR, 'stores.json'), '{"version":2}')
    const refused = {
      code: 6,
      stderr: expect.stringContaining('The rules of stores cannot be read or understood'),
    }
    expect(await o.run('list', address)).toMatchObject({ code: 0, stdout: expect.stringContaining('lock:a') })
    expect(await o.run('release', address, 'lock:a', '--fence', fence)).toMatchObject(refused)
    expect(
      await o.run('hold', address, 'lock:b', '--for', '1m', '--once', '--reason', 'outage'),
    ).toMatchObject(refused)
    expect([await client.get('lock:a'), await client.exists('lock:b')]).toEqual(['token-a', 0])
  })

  it('records an attempt to apply a plan with the wrong confirmation', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    expect(await o.apply('somewhere 1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--confirm "${confirm}"`),
    })
    expect(await client.get('lock:a')).toBe('token-a')
    expect(auditLines(o.env.LOCKKEEPER_DATA_DIR).slice(-2)).toMatchObject([
      { event: 'intent', method: 'plans.apply', confirm: ['somewhere 1'] },
      { event: 'outcome', error: { code: 'REFUSED' } },
    ])
  })

  it('undoes a plan that a console applied to several stores', async () => {
    const [one, two] = [await redisPlace(), await redisPlace()]
    await one.client.set('lock:a', 'token-a')
    for (const name of ['lock:b', 'lock:c']) await two.client.set(name, `token of ${name}`)
    const o = operator()
    const c = openConsole(o.env.LOCKKEEPER_DATA_DIR, {}, { plans: { comeBackMs: 20 } })
    const [a, b] = [
      await c.ask('stores.add', { profile: profile({ name: 'A', address: one.address }) }),
      await c.ask('stores.add', { profile: profile({ name: 'B', address: two.address }) }),
    ]
    const { planId, code } = await c.ask('plans.create', { storeIds: [a.storeId, b.storeId] })
    await c.ask('plans.apply', { planId, confirm: [`A 1-${code}`, `B 2-${code}`], reason: 'stuck' })
    await expect.poll(followPlan(c, planId).state).toBe('done')
    expect(await o.run('undo', planId)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Of 3 locks: 3 restored.'),
    })
    expect([await one.client.get('lock:a'), await two.client.get('lock:c')]).toEqual([
      'token-a',
      'token of lock:c',
    ])
  })
})
