import { appendFileSync, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readActions } from '../../../../electron/core/features/reports/actions.ts'
import type { AuditRow } from '../../../../shared/audit.ts'
import { openConsole, profile } from '../console.ts'
import { memoryPlace, readReport, watching, writeReport } from './reporting.ts'

const HOUR = 3_600_000

test('lists every action with operator, reason and outcome, and verifies the log', async () => {
  const place = memoryPlace()
  for (const name of ['a', 'b', 'c']) place.take(name, 'run', Date.now() - 2 * HOUR)
  const console = await watching(place.address)
  const { stores } = await console.ask('stats.read', {})
  const storeId = stores[0]?.storeId ?? ''
  const plan = await console.ask('plans.create', { storeIds: [storeId], filter: 'state:expired' })
  place.take('b', 'another')
  const confirm = [`${stores[0]?.name} 3-${plan.code}`]
  await console.ask('plans.apply', { planId: plan.planId, confirm, reason: 'host lost' })
  const outcome = async () => (await readReport(console)).actions.listed[0]?.outcome
  await expect.poll(outcome).toBe('done')
  await console.ask('locks.release', { storeId, id: 'acme:b', fence: 'stale', reason: 'again' })
  const { actions } = await readReport(console)
  const [release, applied, made] = actions.listed
  expect(release).toMatchObject({
    ...{ method: 'locks.release', reason: 'again', outcome: 'changed', key: 'acme:b' },
  })
  expect(applied).toMatchObject({
    method: 'plans.apply',
    user: userInfo().username,
    reason: 'host lost',
    plan: plan.planId,
    counts: { released: 2, changed: 1 },
    notDone: [{ key: 'acme:b', outcome: 'changed' }],
    moreNotDone: 0,
  })
  expect(made).toMatchObject({ method: 'plans.create', outcome: 'plan made', stores: [stores[0]?.name] })
  const verdict = await console.ask('audit.verify', {})
  expect(actions.audit).toMatchObject({ ok: true, hash: verdict.head.hash, seq: verdict.head.seq })
  for (const as of ['md', 'html', 'csv'] as const)
    expect((await writeReport(console, { as })).text).toContain(verdict.head.hash)

  const other = memoryPlace()
  const added = await console.ask('stores.add', { profile: profile({ address: other.address }) })
  const elsewhere = await readReport(console, { storeIds: [added.storeId] })
  expect(elsewhere.actions.listed.map(({ method }) => method)).toEqual(['stores.add'])
  expect(elsewhere.actions.elsewhere).toBe(3)
  // Before anything was done there is nothing to list.
  expect((await readReport(console, { from: 1, to: 2 })).actions.listed).toEqual([])
})

test('warns of a damaged log', async () => {
  const console = openConsole()
  await console.ask('stores.add', { profile: profile({ address: memoryPlace().address }) })
  const [file = ''] = readdirSync(console.folder).filter(name => /^audit-\d+\.jsonl$/.test(name))
  appendFileSync(join(console.folder, file), '{"seq":99,"event":"outcome"}\n')
  const { actions } = await readReport(console)
  expect(actions.audit).toMatchObject({ ok: false, damages: [{ file }] })
  for (const as of ['md', 'html'] as const)
    expect((await writeReport(console, { as })).text).toContain('The audit log is damaged')
  expect((await writeReport(console, { as: 'csv' })).text).toMatch(/^audit,.*damaged/m)
})

test('an applied plan is one action with its stores, counts and reason, and without its locks', async () => {
  const place = memoryPlace()
  for (const name of ['a', 'b']) place.take(name, 'run', Date.now() - 2 * HOUR)
  const console = await watching(place.address)
  const [store] = (await console.ask('stats.read', {})).stores
  const storeId = store?.storeId ?? ''
  const { planId, code } = await console.ask('plans.create', { storeIds: [storeId], filter: 'state:expired' })
  await console.ask('plans.apply', { planId, confirm: [`${store?.name} 2-${code}`], reason: 'host lost' })
  const applied = async () =>
    (await readReport(console)).actions.listed.filter(({ method }) => method === 'plans.apply')
  await expect.poll(applied).toMatchObject([
    {
      plan: planId,
      key: null,
      stores: [store?.name],
      reason: 'host lost',
      outcome: 'done',
      counts: { released: 2 },
    },
  ])
  const { text: markdown } = await writeReport(console, { as: 'md' })
  const actions = markdown.slice(markdown.indexOf('## Actions'))
  expect(actions).toMatch(
    new RegExp(`\\| Plan applied \\| \`${planId}\` \\|[^\n]*\\| host lost \\| done; 2 released \\|`),
  )
  expect(actions.slice(0, actions.indexOf('## All locks'))).not.toContain('acme:')
  const { text: csv } = await writeReport(console, { as: 'csv' })
  expect(csv).toMatch(new RegExp(`^action,[^\n]*,${planId},plans\\.apply,`, 'm'))
})

const AT = Date.parse('2026-10-02T12:00:00.000Z')

/** A line of the log, `seconds` after noon. */
function row(seconds: number, change: Partial<AuditRow>): AuditRow {
  return {
    ...{ place: `000001:${seconds}`, file: 'audit-000001.jsonl', seq: seconds, serverAt: null },
    at: new Date(AT + seconds * 1000).toISOString(),
    ...{
      user: 'ana',
      sudoUser: null,
      host: 'ops',
      pid: 1,
      event: 'settled',
      action: 'a',
      method: null,
      store: null,
    },
    ...{ storeName: null, plan: 'p', key: null, reason: null, outcome: null, error: null, entry: {} },
    ...change,
  }
}

function actionsOf(rows: readonly AuditRow[], from = AT, to = AT + HOUR) {
  const newestFirst = [...rows].reverse()
  return readActions(
    async ({ before }) => {
      const start = before === undefined ? 0 : Number(before)
      const page = newestFirst.slice(start, start + 500)
      const next = start + 500 < newestFirst.length ? String(start + 500) : null
      return { rows: page, next, scanned: page.length, unreadable: 0 }
    },
    { from, to, addresses: null },
    new AbortController().signal,
  )
}

test('a plan of thousands is one action: counts, and the first locks that failed', async () => {
  const settled = Array.from({ length: 4000 }, (_, i) =>
    row(10 + Math.floor(i / 100), {
      key: `k-${i}`,
      entry: { id: `k-${i}` },
      outcome: i % 20 === 0 ? 'failed' : 'released',
      error: i % 20 === 0 ? { code: 'STORE_ERROR', message: 'no' } : null,
    }),
  )
  const { listed } = await actionsOf([
    row(1, { event: 'intent', method: 'plans.apply', reason: 'outage' }),
    row(2, { event: 'outcome', method: 'plans.apply', outcome: 'begun' }),
    ...settled,
  ])
  expect(listed).toHaveLength(1)
  expect(listed[0]).toMatchObject({
    ...{ at: row(1, {}).at, reason: 'outage', outcome: 'begun', moreNotDone: 150 },
    counts: { released: 3800, failed: 200 },
  })
  expect(listed[0]?.notDone).toHaveLength(50)
})

test('a lock that was released on the second try is not listed as failed', async () => {
  const entry = { id: 'k' }
  const { listed } = await actionsOf([
    row(1, { key: 'k', entry, outcome: 'failed' }),
    row(2, { key: 'k', entry, outcome: 'released' }),
    row(3, { key: 'k', entry, outcome: 'came-back' }),
  ])
  expect(listed[0]).toMatchObject({
    counts: { released: 1, 'came-back': 1 },
    notDone: [{ key: 'k', outcome: 'came-back' }],
  })
})

test('an action without an outcome is reported as such; an outcome after the window belongs to its action', async () => {
  const { listed } = await actionsOf(
    [
      row(1, { action: 'lost', event: 'intent', method: 'locks.release', key: 'k', plan: null }),
      row(5, { action: 'slow', event: 'intent', method: 'locks.release', key: 'l', plan: null }),
      row(90, { action: 'slow', event: 'outcome', method: 'locks.release', outcome: 'released', plan: null }),
      row(95, { action: 'later', event: 'intent', method: 'locks.release', plan: null }),
    ],
    AT,
    AT + 60_000,
  )
  expect(listed.map(({ action, outcome }) => ({ action, outcome }))).toEqual([
    { action: 'slow', outcome: 'released' },
    { action: 'lost', outcome: null },
  ])
})

test('an action that began before the window keeps its operator and reason, however many lines lie between', async () => {
  const before = Array.from({ length: 1200 }, (_, i) =>
    row(-3000 + i, { action: `other-${i}`, event: 'settings', method: 'stores.edit', plan: null }),
  )
  const { listed } = await actionsOf([
    row(-3600, { event: 'intent', method: 'plans.apply', reason: 'scheduler lost' }),
    ...before,
    row(5, { key: 'k', entry: { id: 'k' }, outcome: 'released' }),
    row(9, { event: 'outcome', method: 'plans.apply', outcome: 'done' }),
  ])
  expect(listed).toHaveLength(1)
  expect(listed[0]).toMatchObject({ at: row(-3600, {}).at, reason: 'scheduler lost', outcome: 'done' })
})

test('the search for the beginning of an action is limited', async () => {
  let pages = 0
  const { listed } = await readActions(
    async () => {
      pages++
      const rows = [
        row(pages === 1 ? 9 : -pages, { action: pages === 1 ? 'a' : `b${pages}`, event: 'outcome' }),
      ]
      return { rows, next: '000001:1', scanned: 1, unreadable: 0 }
    },
    { from: AT, to: AT + HOUR, addresses: null },
    new AbortController().signal,
  )
  expect(listed).toHaveLength(1)
  expect(pages).toBeLessThan(100)
})

test('every lock of a large plan is attributed to it', async () => {
  const rows = Array.from({ length: 400 }, (_, i) =>
    row(10, { key: `k-${i}`, entry: { id: `k-${i}` }, outcome: 'released' }),
  )
  expect((await actionsOf(rows)).released).toHaveLength(400)
})
