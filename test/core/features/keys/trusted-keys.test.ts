import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditLines } from '../audit/lines.ts'
import { openConsole } from '../console.ts'
import { planning } from '../plans/planning.ts'

const KEY = 'c0ffee01'.repeat(8)
const OTHER = 'feedface'.repeat(8)

describe('the trusted keys', () => {
  it('are kept by name in a file for this account alone, and shared among consoles', async () => {
    const c = openConsole()
    const other = openConsole(c.folder)
    await c.ask('keys.trust', { name: 'ana', key: KEY })
    await c.ask('keys.trust', { name: 'ana', key: KEY })
    expect(await other.ask('keys.list', {})).toMatchObject({
      own: expect.stringMatching(/^[0-9a-f]{64}$/),
      trusted: [{ name: 'ana', key: KEY }],
      notice: null,
    })
    expect(statSync(join(c.folder, 'trusted-keys.json')).mode & 0o777).toBe(0o600)
    await other.ask('keys.forget', { name: 'ana' })
    expect((await c.ask('keys.list', {})).trusted).toEqual([])
  })

  it('have one name each, and one key for a name', async () => {
    const c = openConsole()
    await c.ask('keys.trust', { name: 'ana', key: KEY })
    await expect(c.ask('keys.trust', { name: 'ben', key: KEY })).rejects.toThrow('is trusted as ana')
    await expect(c.ask('keys.trust', { name: 'ana', key: OTHER })).rejects.toThrow(
      'REFUSED: ana has another key: forget that one first: nothing was changed',
    )
    await expect(c.ask('keys.forget', { name: 'ben' })).rejects.toThrow('NOT_FOUND')
    const { own } = await c.ask('keys.list', {})
    await expect(c.ask('keys.trust', { name: 'me', key: own ?? '' })).rejects.toThrow('of this installation')
    expect((await c.ask('keys.list', {})).trusted).toMatchObject([{ name: 'ana', key: KEY }])
  })

  it('are keys that someone can have', async () => {
    const c = openConsole()
    for (const key of ['00'.repeat(32), 'ff'.repeat(32)])
      await expect(c.ask('keys.trust', { name: 'ana', key })).rejects.toThrow(
        'BAD_INPUT: This is not the key of an installation: nothing was changed',
      )
    expect((await c.ask('keys.list', {})).trusted).toEqual([])
  })

  it('change only with a line in the audit log', async () => {
    const c = openConsole()
    await c.ask('keys.trust', { name: 'ana', key: KEY })
    await c.ask('keys.forget', { name: 'ana' })
    expect(auditLines(c.folder).filter(({ event }) => event === 'settings')).toMatchObject([
      { method: 'keys.trust', name: 'ana', key: KEY },
      { method: 'keys.trust', outcome: 'done' },
      { method: 'keys.forget', name: 'ana' },
      { method: 'keys.forget', outcome: 'done' },
    ])
  })

  it('that cannot be understood are trusted by no one, and the list says so', async () => {
    const c = openConsole()
    const file = join(c.folder, 'trusted-keys.json')
    writeFileSync(file, JSON.stringify({ version: 1, keys: [{ name: 'ana', key: 'short', since: 1 }] }))
    expect(await c.ask('keys.list', {})).toMatchObject({
      trusted: [],
      notice: 'The list of trusted keys could not be understood.',
    })
    await expect(c.ask('keys.trust', { name: 'ben', key: KEY })).rejects.toThrow('REFUSED')
    expect(readFileSync(file, 'utf8')).toContain('short')
  })
})

describe('the key of an installation that other users may read', () => {
  async function exposed() {
    const p = await planning()
    for (const name of ['a', 'b']) p.hold(name)
    const plan = await p.ask('plans.create', { storeIds: [p.storeId] })
    await p.apply(plan)
    await expect.poll(p.follow(plan.planId).state).toBe('done')
    const key = join(p.folder, 'installation.key')
    chmodSync(key, 0o640)
    return { p, plan, key, advice: `chmod 600 ${key}; whoever could read it may sign` }
  }

  it('is named with its remedy by everything that needs it, and nothing else fails', async () => {
    const { p, plan, key, advice } = await exposed()
    expect(await p.ask('keys.list', {})).toMatchObject({
      own: null,
      problem: expect.stringContaining(advice),
    })
    await p.ask('keys.trust', { name: 'ana', key: KEY })
    await expect(p.ask('plans.undo', { of: plan.planId })).rejects.toThrow(advice)
    p.hold('c')
    await expect(p.ask('plans.create', { storeIds: [p.storeId] })).rejects.toThrow(advice)
    const text = readFileSync(plan.file, 'utf8')
    await expect(openConsole(p.folder).ask('plans.import', { text })).rejects.toThrow(advice)
    chmodSync(key, 0o600)
    expect(await p.ask('plans.undo', { of: plan.planId })).toMatchObject({ count: 2 })
    expect(await p.ask('plans.import', { text })).toMatchObject({ maker: null })
  })

  it('is replaced on request, with both keys in the audit log', async () => {
    const { p, plan, key } = await exposed()
    chmodSync(key, 0o600)
    const { own } = await p.ask('keys.list', {})
    const { key: renewed } = await p.ask('keys.renew', {})
    expect(renewed).not.toBe(own)
    expect(await p.ask('keys.list', {})).toMatchObject({ own: renewed, problem: null })
    await expect(p.ask('plans.undo', { of: plan.planId })).rejects.toThrow('signed with an earlier key')
    expect(auditLines(p.folder).filter(({ method }) => method === 'keys.renew')).toMatchObject([
      { replaces: own },
      { outcome: 'done', key: renewed },
    ])
  })
})
