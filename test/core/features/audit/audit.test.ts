import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, fileAudit } from '../../../../electron/core/features/audit/log.ts'
import { readLog } from '../../../../electron/core/features/audit/read.ts'
import { verifyLog } from '../../../../electron/core/features/audit/verify.ts'
import type { WriterOptions } from '../../../../electron/core/features/audit/writer.ts'
import type { Facts } from '../../../../electron/core/lib/handler.ts'
import type { AuditQuery } from '../../../../shared/audit.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { auditFiles, auditLines, auditText } from './lines.ts'

const { signal } = new AbortController()

function openLog(folder = dataFolder(), options: Partial<WriterOptions> = {}) {
  const log = fileAudit(folder, message => message.replaceAll('hunter2', '•••'), options)
  const read = (query: AuditQuery = {}) => readLog(folder, query, signal)
  const around = (method: string, action: string, facts: Facts, apply: () => Promise<Facts>) =>
    log.record({ method, action, effect: 'write', facts, mustRecord: true, apply, outcome: facts => facts })
  return { ...log, around, folder, read, verify: () => verifyLog(folder, signal) }
}

const entry = (n: number, more: Record<string, unknown> = {}): AuditEntry => ({
  event: 'acting',
  action: `action-${n}`,
  key: `lock:${n}`,
  ...more,
})

describe('the chain', () => {
  it('can be checked by hand, by the rule in docs/audit.md', async () => {
    const { folder, append, around } = openLog()
    await append([entry(1), entry(2, { reason: 'Zürich "quoted" \u2028 \u001b[2J 😀' })])
    await around('locks.release', 'a', { reason: 'stuck' }, async () => ({ outcome: 'released' }))
    let prev = ''
    const lines = auditText(folder).trimEnd().split('\n')
    for (const [i, line] of lines.entries()) {
      const body = line.slice(0, -75)
      const hash = createHash('sha256')
        .update(prev + body)
        .digest('hex')
      expect(line).toBe(`${body},"hash":"${hash}"}`)
      expect(JSON.parse(line)).toMatchObject({ seq: i + 1, user: expect.any(String), pid: process.pid })
      prev = hash
    }
    expect(lines).toHaveLength(5)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'chain',
      prev: null,
      because: 'Log started',
    })
    expect(JSON.parse(readFileSync(join(folder, 'audit-head.json'), 'utf8'))).toEqual({
      file: 'audit-000001.jsonl',
      seq: 5,
      hash: prev,
    })
    expect(statSync(join(folder, 'audit-000001.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('continues across files, each at most one call larger than its limit', async () => {
    const { folder, append, verify } = openLog(undefined, { rotateBytes: 2000 })
    for (let n = 0; n < 40; n++) await append([entry(n)])
    const files = auditFiles(folder)
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThan(2500)
    const verdict = await verify()
    expect(verdict).toMatchObject({ ok: true, lines: 40 + files.length, head: { status: 'ok' } })
    expect(verdict.files.map(({ name, state }) => [name, state])).toEqual(files.map(name => [name, 'ok']))
    expect(auditLines(folder).map(line => line['key'])).toEqual(
      Array.from({ length: 40 }, (_, n) => `lock:${n}`),
    )
  })

  it('is one chain for concurrent writers, and has each entry once', async () => {
    const folder = dataFolder()
    const logs = [openLog(folder), openLog(folder), openLog(folder, { rotateBytes: 4000 })]
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        logs[n % logs.length]?.append([entry(n), entry(n, { second: true })]),
      ),
    )
    expect(await logs[0]?.verify()).toMatchObject({ ok: true })
    const keys = auditLines(folder).map(line => `${line['key']} ${line['second']}`)
    expect(new Set(keys).size).toBe(120)
    expect(keys).toHaveLength(120)
  })

  it('keeps the members that only the log may write', async () => {
    const { folder, append, verify } = openLog()
    await append([entry(1, { seq: 99, at: 'never', user: 'nobody', host: 'h', pid: 1, hash: 'x' })])
    const [line] = auditLines(folder)
    expect(line).toMatchObject({ seq: 2, pid: process.pid })
    expect([line?.['user'], line?.['at'], line?.['host']]).not.toContain(
      expect.stringMatching(/^(nobody|never|h)$/),
    )
    expect(await verify()).toMatchObject({ ok: true })
  })

  it('reports the file of an earlier version as not chained, and leaves it alone', async () => {
    const { folder, append, verify } = openLog()
    writeFileSync(join(folder, 'audit.jsonl'), '{"at":"2026-01-01"}\n')
    await append([entry(1)])
    expect(await verify()).toMatchObject({
      ok: true,
      files: [{ name: 'audit.jsonl', state: 'unchained' }, { state: 'ok' }],
    })
    expect(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).toBe('{"at":"2026-01-01"}\n')
  })

  it('is not called sound without a line: all of it may have been removed', async () => {
    expect(await openLog().verify()).toMatchObject({
      ok: null,
      lines: 0,
      files: [],
      head: { status: 'none-yet' },
    })
  })
})

describe('around a change', () => {
  it('has the intent on disk before the act, and every outcome after it', async () => {
    const { folder, around } = openLog()
    await around('locks.release', 'one', { id: 'a' }, async () => {
      expect(auditLines(folder)).toMatchObject([{ event: 'intent', action: 'one', id: 'a' }])
      return { outcome: 'gone' }
    })
    const failing = around('locks.release', 'two', {}, async () => {
      throw new Error('hunter2')
    })
    await expect(failing).rejects.toThrow('hunter2')
    expect(auditLines(folder).slice(1)).toMatchObject([
      { event: 'outcome', action: 'one', outcome: 'gone' },
      { event: 'intent', action: 'two' },
      { event: 'outcome', action: 'two', error: { code: 'INTERNAL' } },
    ])
    expect(auditText(folder)).not.toContain('hunter2')
  })

  it('ignores an input that names its own event', async () => {
    const { folder, around } = openLog()
    await around('locks.release', 'one', { event: 'dry-run', action: 'x', method: 'y' }, async () => ({}))
    expect(auditLines(folder)[0]).toMatchObject({ event: 'intent', action: 'one', method: 'locks.release' })
  })
})

describe('reading', () => {
  it('shows a line of an earlier version under the present name of its method', async () => {
    const { append, read } = openLog()
    await append([{ event: 'settings', action: 'a', method: 'switches.begin', switch: 's1' }])
    const { rows } = await read({ text: 'method:switch.begin' })
    expect(rows).toMatchObject([{ method: 'switch.begin', entry: { method: 'switches.begin' } }])
  })

  it('gives pages, newest first, over all files, each line once', async () => {
    const { append, read } = openLog(undefined, { rotateBytes: 1500 })
    for (let n = 0; n < 30; n++) await append([entry(n)])
    const keys: (string | null)[] = []
    let before: string | undefined
    for (let pages = 0; pages < 20; pages++) {
      const page = await read({ limit: 7, events: ['acting'], ...(before ? { before } : {}) })
      keys.push(...page.rows.map(({ key }) => key))
      if (page.next === null) break
      before = page.next
    }
    expect(keys).toEqual(Array.from({ length: 30 }, (_, n) => `lock:${29 - n}`))
  })

  it.each<[string, string[]]>([
    ['', ['c', 'b', 'a']],
    ['orders', ['b', 'a']],
    ['ORDERS stuck', ['a']],
    ['event:settled', ['b']],
    ['store:billing', ['c']],
    ['reason:orders', []],
    ['key:a', ['a']],
    ['lock:weird:key', ['c']],
    ['"two words"', ['b']],
    ['reason:"two words"', ['b']],
    ['say"it', ['c']],
    ['back\\slash', ['c']],
    ['zÜrich', ['c']],
    ['\u001b[2j', ['c']],
    ['__proto__', []],
    ['sha256', []],
    ['user:nobody-of-that-name', []],
  ])('filters by %j', async (text, found) => {
    const { append, read } = openLog()
    await append([
      { event: 'acting', action: '1', key: 'a', storeName: 'orders', reason: 'Stuck' },
      { event: 'settled', action: '2', key: 'b', store: 'redis://orders', reason: 'two words' },
      {
        event: 'dry-run',
        action: '3',
        key: 'c',
        storeName: 'Billing',
        lock: { key: 'c', id: 'lock:weird:key' },
        reason: 'say"it back\\slash Zürich \u001b[2J',
      },
    ])
    const { rows } = await read(text === '' ? { events: ['acting', 'settled', 'dry-run'] } : { text })
    expect(rows.map(({ key }) => key)).toEqual(found)
  })

  it('skips lines that are not entries, and counts them', async () => {
    const { folder, append, read } = openLog()
    await append([entry(1)])
    const garbage = ['{"seq":', '[]', 'null', '{"seq":1,"at":7}', '', '\0'.repeat(50), 'x'.repeat(5_000_000)]
    writeFileSync(join(folder, 'audit-000002.jsonl'), garbage.join('\n'))
    const page = await read()
    expect(page.rows.map(({ event }) => event)).toEqual(['acting', 'chain'])
    expect(page.unreadable).toBe(garbage.length)
  })
})
