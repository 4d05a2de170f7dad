import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { conditionalPut } from '../../../../../electron/core/stores/dynamodb/formats/conditional-put.ts'
import { lockFrom } from '../../../../../electron/core/stores/lock-from.ts'
import { lockSchema } from '../../../../../shared/locks.ts'
import { hint, NOW, pinned, rawItem } from './item.ts'

const SECONDS = NOW / 1000
const KEY = { lock_key: { S: 'pipeline:bcra' } }
const FULL = {
  ...KEY,
  owner_id: { S: 'run-1701234567' },
  expires_at: { N: String(SECONDS + 600) },
  acquired_at: { N: String(SECONDS - 3000) },
}

function lockOf(item: Record<string, AttributeValue>) {
  const decoded = conditionalPut.decode(rawItem('lock_key', item), NOW)
  return lockSchema.parse(lockFrom('id', 'id', 'conditional-put', decoded, NOW))
}

function fenceOf(item: Record<string, AttributeValue>): string {
  return lockOf(item).fence
}

describe('conditional-put recognises', () => {
  it('an item with all three attributes, surely', () => {
    expect(conditionalPut.recognise(rawItem('lock_key', FULL), hint)).toEqual({
      is: 'lock',
      confidence: 0.95,
    })
  })

  it('an item with one of them, less surely', () => {
    const verdict = conditionalPut.recognise(rawItem('lock_key', { ...KEY, owner_id: { S: 'x' } }), hint)
    expect(verdict).toEqual({ is: 'lock', confidence: expect.closeTo(0.6) })
  })

  it('no item that has the key alone, and names the missing attributes', () => {
    expect(conditionalPut.recognise(rawItem('lock_key', KEY), hint)).toEqual({
      is: 'other',
      reason: 'it has none of owner_id, expires_at, acquired_at',
    })
  })

  it('when pinned, any item with one of the attributes, and still no bare key', () => {
    const numeric = rawItem('lock_key', { ...FULL, lock_key: { N: '7' } }, { type: 'N', sort: 'region' })
    expect(conditionalPut.recognise(numeric, pinned)).toEqual({ is: 'lock', confidence: 1 })
    expect(conditionalPut.recognise(rawItem('lock_key', { ...KEY, holder: { S: 'x' } }), pinned)).toEqual({
      is: 'other',
      reason: 'it has none of owner_id, expires_at, acquired_at',
    })
  })

  it.each([hint, pinned])('no counter of fencing numbers, which belongs to a lock', given => {
    const counter = { lock_key: { S: 'lockkeeper:fencing:pipeline:bcra' }, fencing_number: { N: '7' } }
    expect(conditionalPut.recognise(rawItem('lock_key', counter), given)).toEqual({ is: 'companion' })
    const lock = { ...counter, owner_id: { S: 'x' } }
    expect(conditionalPut.recognise(rawItem('lock_key', lock), given).is).toBe('lock')
    const other = { ...counter, lock_key: { S: 'pipeline:bcra' } }
    expect(conditionalPut.recognise(rawItem('lock_key', other), given).is).toBe('other')
  })

  it.each([hint, pinned])('no item of python_dynamodb_lock, even when pinned', given => {
    const item = {
      ...KEY,
      sort_key: { S: '-' },
      owner_name: { S: 'host' },
      record_version_number: { S: 'c0ffee' },
      expiry_time: { N: String(SECONDS) },
    }
    expect(conditionalPut.recognise(rawItem('lock_key', item, { sort: 'sort_key' }), given).is).toBe('other')
  })

  it('no item of a table with another key, with a sort key, or with a numeric key', () => {
    const other = { is: 'other' }
    expect(conditionalPut.recognise(rawItem('id', FULL), hint)).toEqual(other)
    expect(conditionalPut.recognise(rawItem('lock_key', FULL, { sort: 'region' }), hint)).toEqual(other)
    expect(conditionalPut.recognise(rawItem('lock_key', FULL, { type: 'N' }), hint)).toEqual(other)
  })
})

describe('conditional-put reads', () => {
  it('owner and both times as stored', () => {
    expect(lockOf(FULL)).toMatchObject({
      name: 'pipeline:bcra',
      owner: 'run-1701234567',
      acquiredAt: NOW - 3_000_000,
      acquiredAtSource: 'stored',
      lease: { kind: 'deadline', expiresAt: NOW + 600_000, source: 'stored', afterwards: 'expired' },
      state: 'expiring',
      notes: [],
    })
  })

  it('a lock past its expiry as expired: DynamoDB removes such items days later, or never', () => {
    expect(lockOf({ ...FULL, expires_at: { N: String(SECONDS - 1) } }).state).toBe('expired')
  })

  it('a lock without expires_at as never ending, because no program can take it', () => {
    const { expires_at: _, ...item } = FULL
    expect(lockOf(item)).toMatchObject({
      lease: { kind: 'never' },
      state: 'held',
      notes: [{ code: 'missing-field', field: 'expires_at' }],
    })
  })

  it('an expiry stored as a string as never ending, because a string is never less than a number', () => {
    expect(lockOf({ ...FULL, expires_at: { S: '1701238167' } })).toMatchObject({
      lease: { kind: 'never' },
      notes: [{ code: 'wrong-type', field: 'expires_at', found: 'a string', wanted: 'a number' }],
    })
  })

  it('an expiry in milliseconds as what it says, some fifty thousand years on, with a note', () => {
    const lock = lockOf({ ...FULL, expires_at: { N: String(NOW) } })
    expect(lock.lease).toMatchObject({ kind: 'deadline', expiresAt: NOW * 1000 })
    expect(lock.notes).toEqual([{ code: 'implausible-expiry', raw: String(NOW) }])
  })

  it('an expiry no Date can carry as never ending, with a note', () => {
    expect(lockOf({ ...FULL, expires_at: { N: '1000000000000000000000000000000' } })).toMatchObject({
      lease: { kind: 'never' },
      notes: [{ code: 'implausible-expiry', raw: '1000000000000000000000000000000' }],
    })
  })

  it.each(['-5', '-1000000000000000000000000000000', '0'])('the expiry %s as passed', N => {
    expect(lockOf({ ...FULL, expires_at: { N } })).toMatchObject({
      state: 'expired',
      notes: [{ code: 'implausible-expiry', raw: N }],
    })
  })

  it('decimals to the millisecond', () => {
    const lock = lockOf({ ...FULL, expires_at: { N: `${SECONDS + 600}.123456789` } })
    expect(lock.lease).toMatchObject({ expiresAt: NOW + 600_123 })
  })

  it.each(['abc', 'NaN', 'Infinity', ''])('a server that calls %j a number without a crash', N => {
    expect(lockOf({ ...FULL, expires_at: { N }, acquired_at: { N } }).owner).toBe('run-1701234567')
  })

  it('a missing owner, or one that is no string, as unknown with a note', () => {
    const { owner_id: _, ...item } = FULL
    expect(lockOf(item)).toMatchObject({ owner: null, notes: [{ code: 'missing-field', field: 'owner_id' }] })
    expect(lockOf({ ...FULL, owner_id: { BOOL: true } })).toMatchObject({
      owner: null,
      notes: [{ code: 'wrong-type', field: 'owner_id', found: 'a boolean', wanted: 'a string' }],
    })
  })

  it('a missing or impossible acquisition time as unknown', () => {
    const { acquired_at: _, ...item } = FULL
    expect(lockOf(item)).toMatchObject({ acquiredAt: null, acquiredAtSource: 'unknown' })
    expect(lockOf({ ...FULL, acquired_at: { N: '1e30' } })).toMatchObject({
      acquiredAt: null,
      acquiredAtSource: 'unknown',
    })
  })

  it('other attributes as fields, cut short', () => {
    const { fields } = lockOf({ ...FULL, host: { S: 'ingest-1' }, dump: { S: 'x'.repeat(380_000) } })
    expect(fields).toMatchObject({ host: 'ingest-1', owner_id: 'run-1701234567' })
    expect(fields).not.toHaveProperty('lock_key')
    expect(String(fields['dump']).length).toBeLessThan(1000)
  })
})

describe('conditional-put is released', () => {
  it('only while every attribute is unchanged, regardless of the order in which the item is sent', () => {
    const item = { zone: { S: 'eu' }, Host: { S: 'h' }, ...FULL }
    expect(conditionalPut.release(rawItem('lock_key', item), undefined)).toEqual({
      guards: [
        { attribute: 'owner_id', seen: FULL.owner_id },
        { attribute: 'expires_at', seen: FULL.expires_at },
        { attribute: 'acquired_at', seen: FULL.acquired_at },
        { attribute: 'Host', seen: { S: 'h' } },
        { attribute: 'zone', seen: { S: 'eu' } },
      ],
    })
  })

  it('only while what was absent is still absent', () => {
    const { guards } = conditionalPut.release(
      rawItem('lock_key', { ...KEY, owner_id: { S: 'x' } }),
      undefined,
    )
    expect(guards.slice(1)).toEqual([
      { attribute: 'expires_at', seen: null },
      { attribute: 'acquired_at', seen: null },
    ])
  })

  it('with a fence that changes with each attribute, its name and its type', () => {
    const fences = [
      FULL,
      { ...FULL, owner_id: { S: 'other' } },
      { ...FULL, expires_at: { N: String(SECONDS + 601) } },
      { ...FULL, expires_at: { S: String(SECONDS + 600) } },
      { ...FULL, acquired_at: { N: String(SECONDS) } },
      { ...FULL, host: { S: 'a' } },
      { ...FULL, host: { S: 'b' } },
      { ...FULL, Host: { S: 'a' } },
    ].map(fenceOf)
    expect(new Set(fences).size).toBe(fences.length)
    expect(fenceOf({ ...FULL })).toBe(fences[0])
    const reversed = Object.fromEntries(Object.entries({ ...FULL, host: { S: 'a' } }).reverse())
    expect(fenceOf(reversed)).toBe(fences[5])
  })
})
