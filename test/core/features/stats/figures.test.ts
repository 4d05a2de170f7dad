import { expect, test } from 'vitest'
import { addFigures, FigureBuilder, keyParts } from '../../../../electron/core/features/stats/figures.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { aLock } from '../../../shared/a-lock.ts'

const NOW = 1_800_000_000_000

function tallied(...locks: Partial<Lock>[]) {
  const builder = new FigureBuilder('s')
  for (const [i, change] of locks.entries()) builder.add(aLock({ id: `${i}`, ...change }), NOW)
  return builder.figures(0)
}

test.each([
  ['pipeline_lock:acme1281:gcp_billing', 'pipeline_lock:acme1281', 'gcp_billing'],
  ['state/prod/network.tfstate', 'state/prod', 'network.tfstate'],
  ['LEDGER_PROCESS', '(no prefix)', 'LEDGER_PROCESS'],
  [':leading', '(no prefix)', ':leading'],
  ['trailing:', '(no prefix)', 'trailing:'],
  ['', '(no prefix)', ''],
])('splits %s into %s and %s', (key, prefix, name) => {
  expect(keyParts(key)).toEqual({ prefix, name })
})

test('each lock counts in one state, and a free lock has no holder', () => {
  const figures = tallied(
    { lease: { kind: 'never' } },
    { lease: { kind: 'deadline', expiresAt: NOW + 60_000, source: 'ttl', afterwards: 'expired' } },
    { lease: { kind: 'deadline', expiresAt: NOW - 1000, source: 'ttl', afterwards: 'expired' } },
    { lease: { kind: 'released' }, owner: 'ghost' },
    { lease: { kind: 'unknown' } },
  )
  expect(figures.counts).toEqual({ held: 1, expiring: 0, expired: 1, endless: 1, unknown: 1, released: 1 })
  expect(figures).toMatchObject({ active: 3, total: 5 })
  expect(JSON.stringify(figures.byHolder)).not.toContain('ghost')
})

test('tokens are shown by their hash; a secret of one format is a name of another', () => {
  const secret = '7f3c1a9e-5b2d-4c8f-9a01-223344556677'
  const figures = tallied(
    { format: 'pubsub-token', owner: secret, holder: { label: secret } },
    { format: 'pipeline-run', owner: 'run-17', holder: { label: 'run-17' } },
    { format: 'recharge-json', owner: 'GPS_PROCESS_17', holder: { label: 'pid 12', pid: 12 } },
    { format: 'a format that was removed', owner: 'who-knows-what', holder: null },
  )
  const names = figures.byHolder.top.map(({ name }) => name)
  expect(names).toContain('run-17')
  expect(names).toContain('pid 12')
  expect(names.filter(name => name.startsWith('token sha256:'))).toHaveLength(2)
  expect(JSON.stringify(figures)).not.toMatch(/7f3c1a9e|223344556677|who-knows/)
})

test('lists the largest of very many groups, and the sum of the others', () => {
  const locks = Array.from({ length: 5000 }, (_, i) => ({
    format: 'pipeline-run',
    key: `p:${i % 50 === 0 ? 'often' : i % 70 === 0 ? 'sometimes' : i}`,
    owner: `run-${i % 400}`,
  }))
  const { byName, byHolder } = tallied(...locks)
  expect(byName.top.slice(0, 2).map(({ name }) => name)).toEqual(['often', 'sometimes'])
  expect(byName.top).toHaveLength(20)
  const sum = (groups: typeof byName) =>
    groups.top.reduce((all, { count }) => all + count, 0) + groups.others.count
  expect([sum(byName), sum(byHolder)]).toEqual([5000, 5000])
  expect(byHolder.others.names).toBe(380)
})

test('two stores together have the sum of both, and the older of their oldest', () => {
  const a = tallied({ acquiredAt: NOW - 5000, acquiredAtSource: 'stored' })
  const b = tallied({ acquiredAt: NOW - 9000, acquiredAtSource: 'stored', owner: 'other' }, {})
  const more = {
    longest: null,
    flows: { taken: 1, passedOn: 0, renewed: 0, freed: 0, lapsed: 0 },
    observedMs: 10,
    tenureTimes: a.remaining,
  }
  const both = addFigures([
    { ...a, ...more },
    { ...b, ...more },
  ])
  expect(both).toMatchObject({ total: 3, flows: { taken: 2 }, oldest: { since: NOW - 9000 } })
  expect(addFigures([])).toMatchObject({ total: 0, oldest: null })
})
