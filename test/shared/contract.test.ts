import { expect, test } from 'vitest'
import { z } from 'zod'
import { methods, streams } from '../../shared/contract.ts'
import { upFrameSchema } from '../../shared/frames.ts'
import { lockSchema } from '../../shared/locks.ts'
import { aLock } from './a-lock.ts'

type Entry = { readonly effect?: string; readonly input: z.ZodType; readonly output: z.ZodType }
const METHODS: [string, Entry][] = Object.entries(methods)
const STREAMS: [string, Entry][] = Object.entries(streams).map(([name, { input, event }]) => [
  name,
  { input, output: event },
])

const PROFILE = { name: 'n', address: 'memory:practice', colour: 'teal', production: true, readOnly: false }

/** One input that is right for each. A new entry of the contract needs one here. */
const RIGHT: Record<string, Record<string, unknown>> = {
  'formats.list': {},
  'stores.open': { address: 'memory:practice', password: 'p' },
  'stores.describe': { storeId: 's' },
  'stores.close': { storeId: 's' },
  'locks.inspect': { storeId: 's', id: 'k' },
  'locks.release': { storeId: 's', id: 'k', fence: 'f', reason: 'stuck' },
  'locks.raw': { storeId: 's', id: 'k', digest: 'd' },
  'locks.list': { storeId: 's', limit: 10 },
  'stores.add': { profile: PROFILE, password: 'p', passwordOf: 's' },
  'stores.edit': { storeId: 's', profile: PROFILE, password: null },
  'stores.remove': { storeId: 's' },
  'stores.setOpen': { storeId: 's', open: true },
  'stores.test': { profile: PROFILE },
  'locks.watch': { storeId: 's', intervalMs: 1000 },
  'plans.create': { storeIds: ['s'], filter: 'is:stuck', watchMs: 1000 },
  'plans.open': { file: '/tmp/plan', acceptFile: true },
  'keys.trust': { name: 'ana', key: 'c0ffee01'.repeat(8) },
  'keys.forget': { name: 'ana' },
  'keys.renew': {},
  'plans.import': { text: '{}' },
  'plans.remove': { planId: 'p' },
  'plans.exclude': { planId: 'p', exclusions: [{ by: 'holder', value: 'h' }], excluded: true },
  'plans.compare': { planId: 'p' },
  'plans.apply': { planId: 'p', confirm: ['orders 3-c0ffee'], reason: 'stuck', rate: 100 },
  'plans.steer': { planId: 'p', to: 'pause', rate: 100 },
  'plans.undo': { of: 'p' },
  'audit.list': { text: 'orders', events: ['intent'], before: '000001:17', limit: 100 },
  'audit.verify': {},
  'stats.read': { since: 1 },
  'stats.history': { from: 1, to: 2, points: 100 },
  'stats.groups': { by: 'holder', from: 1, to: 2, points: 100, top: 5 },
  'stats.tenures': { id: 'k', from: 1, to: 2, limit: 10 },
  'stats.keys': { limit: 10 },
  'alerts.acknowledge': {
    alertIds: ['a'],
    group: { rule: 'expired', storeId: 's' },
    reason: 'known',
  },
  'alerts.mute': { rule: 'expired', storeId: 's', lockId: 'k', reason: 'known', forMs: 60_000 },
  'alerts.unmute': { muteId: 'm' },
  'alerts.decide': {
    book: { all: {}, stores: {}, notify: true },
    before: { all: {}, stores: {}, notify: false },
  },
  'reports.write': { as: 'md', from: 1, to: 2, filter: 'is:stuck', lockLimit: 100 },
  'switch.begin': { fromStoreId: 's', toStoreId: 't', quietMs: 30_000 },
  'switch.pass': { switchId: 's', step: 'stop', reason: 'seen elsewhere' },
  'switch.back': { switchId: 's', step: 'stop' },
  'switch.abandon': { switchId: 's', reason: 'not today' },
  'switch.envPreview': { switchId: 's', file: '/srv/app/.env' },
  'switch.envChange': { switchId: 's', file: '/srv/app/.env', digest: 'd' },
  'switch.plan': { switchId: 's' },
  'switch.watch': { switchId: 's' },
  'switch.report': { switchId: 's', as: 'md' },
  'plans.watch': { planId: 'p' },
  'plans.file': { planId: 'p' },
  'holds.choices': { storeId: 's', key: 'k' },
  'holds.take': {
    storeId: 's',
    key: 'k',
    forMs: 60_000,
    mode: 'once',
    waitMs: 1000,
    reason: 'why',
  },
  'holds.extend': { holdId: 'h', forMs: 60_000 },
  'holds.release': { holdId: 'h' },
}

test.each([...METHODS, ...STREAMS])('%s accepts exactly its declared input', (name, { input, output }) => {
  const right = RIGHT[name] ?? {}
  expect(name).toMatch(/^[a-z]+\.[a-z]+[A-Za-z]*$/)
  expect(input).toBeInstanceOf(z.ZodType)
  expect(output).toBeInstanceOf(z.ZodType)
  expect(input.parse(right)).toEqual(right)
  expect(input.safeParse({ ...right, extra: 1 }).success).toBe(false)
  for (const wrong of [undefined, null, 'text', 7, []]) expect(input.safeParse(wrong).success).toBe(false)
  for (const field of Object.keys(right)) {
    for (const wrong of [null, {}, [], true, -1, '']) {
      // Free text may be empty; nothing else may be of a wrong type, below its range or empty.
      if (wrong === '' && ['password', 'reason', 'filter', 'text'].includes(field)) continue
      if (Array.isArray(wrong) && ['exclusions', 'confirm'].includes(field)) continue
      if (wrong === right[field]) continue
      // Any rule, any store, any lock; for ever.
      if (wrong === null && name === 'alerts.mute' && field !== 'reason') continue
      if (wrong === '' && name.startsWith('alerts.') && field === 'reason')
        expect(input.safeParse({ ...right, reason: ' ' }).success).toBe(false)
      // Away from any file.
      if (wrong === null && name === 'switch.envPreview' && field === 'file') continue
      expect(
        input.safeParse({ ...right, [field]: wrong }).success,
        `${field}: ${JSON.stringify(wrong)}`,
      ).toBe(false)
    }
  }
})

test.each(METHODS)('%s declares its effect', (_, { effect }) => {
  expect(['read', 'settings', 'write']).toContain(effect)
})

test('only releases, plans and holds write', () => {
  expect(METHODS.filter(([, { effect }]) => effect === 'write').map(([name]) => name)).toEqual([
    'locks.release',
    'plans.apply',
    'holds.take',
    'holds.extend',
    'holds.release',
  ])
})

test('the settings are those of stores, keys, alerts and switches', () => {
  const settings = METHODS.filter(([, { effect }]) => effect === 'settings').map(([name]) => name)
  expect(settings).toEqual([
    ...['stores.add', 'stores.edit', 'stores.remove', 'stores.setOpen'],
    ...['keys.trust', 'keys.renew', 'keys.forget'],
    ...['alerts.acknowledge', 'alerts.mute', 'alerts.unmute', 'alerts.decide'],
    ...['switch.begin', 'switch.pass', 'switch.back', 'switch.abandon'],
    ...['switch.envPreview', 'switch.envChange', 'switch.plan'],
  ])
})

test('no release without a fence', () => {
  const { fence: _, ...rest } = RIGHT['locks.release'] ?? {}
  expect(methods['locks.release'].input.safeParse(rest).success).toBe(false)
})

test('a lock with a time that is no number does not pass', () => {
  expect(lockSchema.safeParse(aLock()).success).toBe(true)
  for (const time of [Number.NaN, Infinity]) {
    expect(lockSchema.safeParse(aLock({ acquiredAt: time })).success).toBe(false)
    const lease = { kind: 'deadline', expiresAt: time, source: 'ttl', afterwards: 'expired' } as const
    expect(lockSchema.safeParse(aLock({ lease })).success).toBe(false)
  }
})

test.each([
  { type: 'call', id: 1, method: 'x', input: {}, extra: 1 },
  { type: 'call', id: -1, method: 'x', input: {} },
  { type: 'call', id: 1.5, method: 'x', input: {} },
  { type: 'open', id: 1, method: 'x', input: {} },
  { type: 'close' },
  { type: 'shout', id: 1 },
])('the frame %j is refused', frame => {
  expect(upFrameSchema.safeParse(frame).success).toBe(false)
})
