import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConsole, profile } from '../../../core/features/console.ts'
import { Database, RECHARGE } from '../../../core/stores/mysql/database.ts'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import type { Run } from '../run-cli.ts'
import { confirmOf, expectHarmless, operator, undoIdOf } from './plan-cli.ts'

const HOLDER = '0f8fad5b-d9cb-469f-a165-70867728950e:51'

/** An operator whose console has a store with rules. */
async function production(more: Partial<Parameters<typeof profile>[0]>, o = operator()) {
  const c = openConsole(o.env.LOCKKEEPER_DATA_DIR)
  const added = profile({ production: true, ...more })
  await c.ask('stores.add', { profile: added })
  const folder = join(o.env.LOCKKEEPER_DATA_DIR, 'plans')
  return { ...o, name: added.name, plans: () => (existsSync(folder) ? readdirSync(folder) : []) }
}

/** The command that a release prints, with a reason. */
function pastedUndo({ stdout }: Run): string {
  const [, command = ''] = /: (lockkeeper undo .* --reason )TEXT\n/.exec(stdout) ?? []
  return `${command}mistake`
}

describe('undo', () => {
  it('restores locks with their values and deadlines, except where the name is taken', async () => {
    const { client, address } = await redisPlace()
    await client.set('pipeline_lock:x:a', 'run-a', 'EX', 900)
    await client.set('pipeline_lock:x:\x1b[31mb', 'run-b', 'EX', 900)
    const o = operator()
    const applied = await o.apply(confirmOf(await o.plan(address)))
    await client.set('pipeline_lock:x:\x1b[31mb', 'run-new', 'EX', 900)
    const undone = await o.run('undo', undoIdOf(applied), '--reason', 'wrong store')
    expect(undone).toMatchObject({ code: 7, stderr: '' })
    expectHarmless(undone)
    expect(undone.stdout).toContain('Of 2 locks: 1 restored; 1 is held again and was not touched.\n')
    expect(await client.get('pipeline_lock:x:a')).toBe('run-a')
    expect(await client.ttl('pipeline_lock:x:a')).toBeGreaterThan(800)
    expect(await client.get('pipeline_lock:x:\x1b[31mb')).toBe('run-new')
    expect(o.audit()).toContain('wrong store')
  })

  it('restores no lock twice: its holder may have released it since', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const id = undoIdOf(await o.apply(confirmOf(await o.plan(address))))
    const undone = await o.run('undo', id, '--json')
    expect(undone).toMatchObject({ code: 0 })
    expect(undone.json()).toMatchObject({ kind: 'restore', counts: { restored: 1 }, cannotBeRestored: 0 })
    await client.del('lock:a')
    expect(await o.run('undo', id)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('already restored'),
    })
    expect(await client.exists('lock:a')).toBe(0)
  })

  it('undoes a single release by its printed id', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const { fence } = await lock('lock:a')
    const released = await o.run('release', address, 'lock:a', '--fence', fence)
    expect(await client.exists('lock:a')).toBe(0)
    expect(await o.run('undo', undoIdOf(released))).toMatchObject({ code: 0 })
    expect(await client.get('lock:a')).toBe('token-a')
  })

  it.each([
    ['its address', (address: string) => address],
    ['an alias', (address: string) => address.replace('127.0.0.1', 'localhost')],
  ])('takes the name of a production store and a reason, by %s', async (_, spelled) => {
    const { client, address, lock } = await redisPlace()
    const o = await production({ name: 'Bob $(touch x) "x"', address: spelled(address) })
    const why = ['--reason', 'wrong store']
    await client.set('lock:a', 'token-a')
    const { fence } = await lock('lock:a')
    const confirm = ['--confirm', o.name]
    const single = await o.run('release', address, 'lock:a', '--fence', fence, ...confirm, ...why)
    const first = pastedUndo(single)
    const id = first.split(' ')[2] ?? ''
    for (const [typed, error] of [
      [[], `to undo this in production, add --confirm 'Bob $(touch x) "x"' --reason TEXT`],
      [why, 'to undo this in production'],
      [['--confirm', 'another', ...why], 'to undo this in production'],
      [confirm, 'A reason is missing'],
    ] as const)
      expect(await o.run('undo', id, ...typed)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(error),
      })
    expect(o.plans()).toEqual([])
    expect(await client.exists('lock:a')).toBe(0)
    expect(await o.paste(first)).toMatchObject({ code: 0, stderr: '' })
    expect(await client.get('lock:a')).toBe('token-a')
    expect(o.audit()).toContain('"outcome":"begun"')

    const {
      confirm: [full = ''],
    } = (await o.plan(address, '--json')).json() as { confirm: string[] }
    expect(await o.apply(full.replace(/^.* (?=1-)/, 'x '))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--confirm 'Bob $(touch x) "x" 1-`),
    })
    const all = await o.apply(full.replace(/^redis at \S+/, o.name))
    expect(await o.paste(pastedUndo(all))).toMatchObject({ code: 0, stderr: '' })
    expect(await client.get('lock:a')).toBe('token-a')
    expect(existsSync(join(o.folder, 'x'))).toBe(false)
  })

  it('is refused in a store that was set to read-only, and leaves no plan behind', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const id = undoIdOf(await o.apply(confirmOf(await o.plan(address))))
    const there = await production({ address, readOnly: true, production: false }, o)
    expect(await o.run('undo', id)).toMatchObject({ code: 6, stderr: expect.stringContaining('read-only') })
    expect(there.plans()).toEqual([])
    expect(await client.exists('lock:a')).toBe(0)
  })

  it('is refused after the undo window', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator({ LOCKKEEPER_UNDO_MINUTES: '0.1' })
    const id = undoIdOf(await o.apply(confirmOf(await o.plan(address))))
    await sleep(6000)
    expect(await o.run('undo', id)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('nothing was released by that id in the last 6 s'),
    })
    expect(await client.dbsize()).toBe(0)
  })

  it('explains why a format cannot be restored, and does not report the rest as a complete undo', async () => {
    const { client, address, lock } = await redisPlace()
    await client.hset('orders', HOLDER, 1)
    const o = operator()
    const { fence } = await lock('orders')
    const released = (await o.run('release', address, 'orders', '--fence', fence, '--json')).json()
    expect(released).toMatchObject({ outcome: 'released', undoUntil: null })
    expect(await o.run('undo', String(released['action']))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Redisson stops renewing for good'),
    })

    await client.hset('orders', HOLDER, 1)
    await client.set('lock:a', 'token-a')
    const made = await o.plan(address)
    expect(made.stdout).toContain('1 cannot be restored afterwards')
    const undone = await o.run('undo', undoIdOf(await o.apply(confirmOf(made))))
    expect(undone.code).toBe(7)
    expect(undone.stdout).toContain('Of 1 lock: 1 restored.\n')
    expect(undone.stdout).toContain('1 lock released with them cannot be restored')
    expect(await client.keys('*')).toEqual(['lock:a'])
  })

  it('is offered only if a record was not too large for a copy', async () => {
    const database = await Database.create()
    onTestFinished(() => database.drop())
    await database.plain.query(RECHARGE)
    await database.plain.query('ALTER TABLE recargas_process_locks ADD COLUMN log MEDIUMTEXT')
    const fill = (...logs: number[]) =>
      database.plain.query('REPLACE INTO recargas_process_locks (lock_key, lock_id, log) VALUES ?', [
        logs.map((size, i) => [`job ${i}`, 'holder', 'x'.repeat(size)]),
      ])
    const address = `mysql://root@127.0.0.1:${database.port}/${database.name}`
    const o = operator()
    await fill(100_000, 100_000)
    const none = await o.apply(confirmOf(await o.plan(address)))
    expect(none).toMatchObject({ code: 0, stdout: expect.not.stringContaining('undone') })
    const [, plan] = /"plan":"(\w+)"/.exec(o.audit()) ?? []
    expect(await o.run('undo', plan ?? '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('too large for a copy'),
    })
    await fill(100_000, 10)
    const some = operator()
    const undone = await some.run('undo', undoIdOf(await some.apply(confirmOf(await some.plan(address)))))
    expect(undone).toMatchObject({
      code: 7,
      stdout: expect.stringContaining('1 lock released with them cannot be restored'),
    })
  })

  it.each([
    ['p0123456789ab', 4],
    ['../../etc/passwd', 2],
    ['\x1b[31m', 2],
  ])('refuses the unknown id %j', async (id, code) => {
    const run = await operator().run('undo', id)
    expect(run).toMatchObject({ code, stdout: '' })
    expectHarmless(run)
  })
})
