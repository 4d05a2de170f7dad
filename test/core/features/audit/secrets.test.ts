import { describe, expect, it } from 'vitest'
import { auditedEntry, auditedLock } from '../../../../electron/core/features/audit/audited.ts'
import { fileAudit } from '../../../../electron/core/features/audit/log.ts'
import { verifyLog } from '../../../../electron/core/features/audit/verify.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { PlanEntry } from '../../../../shared/plans.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { aLock } from '../../../shared/a-lock.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { everythingIn, openConsole, profile } from '../console.ts'
import { auditLines, auditText } from './lines.ts'

const TOKEN = '7f8fad5b-d9cb-469f-a165-70867728950e:31'

/** A lock with its token wherever a format or a hostile record could put it. */
const telling = (): Lock =>
  aLock({
    owner: TOKEN,
    holder: {
      label: `thread 31 of ${TOKEN.slice(0, 36)}`,
      host: TOKEN,
      user: `user ${TOKEN}`,
      instance: TOKEN.slice(0, 36),
      thread: '31',
      pid: 4711,
    },
    lease: { kind: 'session', session: TOKEN },
    fields: { token: TOKEN, [TOKEN]: 1, other: `x${TOKEN}` },
    notes: [{ code: 'implausible-expiry', raw: TOKEN }],
  })

const planned = (): PlanEntry => ({
  n: 0,
  store: 0,
  id: 'i',
  key: 'k',
  format: 'token',
  owner: TOKEN,
  holder: `held by ${TOKEN}`,
  state: 'held',
  endsAt: 1_800_000_000_000,
  heldSince: null,
  observedAt: 0,
  renewals: 0,
  alike: false,
  fence: 'f',
})

describe('a token', () => {
  it('is kept as its hash, with other facts about the holder', () => {
    expect(auditedLock(telling())).toEqual({
      ...{ id: 'orders', key: 'orders', format: 'token', state: 'held', fence: 'f' },
      ownerHash: 'sha256:3dbcc2191798311c',
      holder: { pid: 4711, thread: '31' },
      acquiredAt: null,
      endsAt: null,
    })
    expect(auditedLock(aLock({ owner: null, holder: { label: 'worker 7', pid: 7 } }))).toMatchObject({
      ownerHash: null,
      holder: { label: 'worker 7', pid: 7 },
    })
    expect(auditedEntry(planned())).toMatchObject({
      ownerHash: 'sha256:3dbcc2191798311c',
      holder: null,
      endsAt: '2027-01-15T08:00:00.000Z',
    })
  })

  it('is in no file, whatever code composes the entry', async () => {
    const folder = dataFolder()
    const log = fileAudit(folder, message => message.replaceAll(TOKEN, '•••'))
    await log.append([
      { event: 'acting', action: 'a', lock: telling() },
      { event: 'acting', action: 'a', ...telling() },
      { event: 'acting', action: 'a', lock: auditedLock(telling()), entry: planned() },
      { event: 'settled', action: 'a', result: { is: 'changed', at: 1, owner: TOKEN } },
      {
        event: 'settled',
        action: 'a',
        result: { is: 'failed', error: { code: 'X', message: `no ${TOKEN}` } },
      },
      {
        event: 'settled',
        action: 'a',
        currentOwner: TOKEN,
        token: TOKEN,
        nested: [{ owner: TOKEN, label: TOKEN }],
      },
    ])
    const change = { method: 'locks.release', effect: 'write', mustRecord: true } as const
    const facts = { id: 'x', password: TOKEN }
    const outcome = () => ({ outcome: 'changed', current: telling() })
    await log.record({ ...change, action: 'b', facts, apply: async () => null, outcome })
    const failing = log.record({
      ...{ ...change, action: 'c', facts, outcome },
      apply: async () => {
        throw new Error(TOKEN)
      },
    })
    await expect(failing).rejects.toThrow(TOKEN)
    expect(auditLines(folder)).toHaveLength(10)
    expect(everythingIn(folder)).not.toContain(TOKEN.slice(0, 36))
    expect(auditLines(folder).slice(0, 2)).toMatchObject([
      { event: 'acting', action: 'a', lock: { key: 'orders' } },
      { event: 'acting', action: 'a', key: 'orders' },
    ])
    expect(await verifyLog(folder, new AbortController().signal)).toMatchObject({ ok: true })
  })

  it('is not revealed by a release, whatever its outcome', async () => {
    const name = `secrets-${Math.random()}`
    acquirePipeline(memoryServer(name), {
      tenant_id: 'acme',
      pipeline_id: 'a',
      pipeline_logging_id: TOKEN,
      locked_by: `by ${TOKEN}`,
    })
    const { ask, folder } = openConsole()
    const { storeId } = await ask('stores.add', { profile: profile({ address: `memory:${name}` }) })
    const detail = await ask('locks.inspect', { storeId, id: 'acme:a' })
    const fence = detail?.lock?.fence ?? ''
    await ask('locks.release', { storeId, id: 'acme:a', fence: 'stale' })
    await ask('locks.release', { storeId, id: 'acme:a', fence, reason: 'stuck' })
    expect(auditLines(folder).filter(({ event }) => event !== 'settings')).toMatchObject([
      { event: 'intent' },
      { event: 'outcome', outcome: 'changed', current: { ownerHash: expect.stringMatching(/^sha256:/) } },
      { event: 'intent', reason: 'stuck' },
      { event: 'acting', serverAt: expect.any(String), lock: { key: 'acme:a', fence } },
      { event: 'outcome', outcome: 'released' },
    ])
    // The copy for an undo has it, but is not in the log.
    expect(auditText(folder)).not.toContain(TOKEN)
  })
})
