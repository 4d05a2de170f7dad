import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { terraform } from '../../../../../electron/core/stores/dynamodb/formats/terraform.ts'
import { lockFrom } from '../../../../../electron/core/stores/lock-from.ts'
import { lockSchema } from '../../../../../shared/locks.ts'
import { hint, NOW, rawItem } from './item.ts'

const STATE = 'acme-tfstate/env:/prod/network.tfstate'
const INFO = {
  ID: '8ff5a9cf-7f4f-4f0e-9f0c-6e7f4f9b5f5a',
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'ana@corp@build-7',
  Version: '1.9.5',
  Created: '2026-08-22T09:00:00.123456789Z',
  Path: STATE,
}

function item(info: unknown, lockId = STATE): Record<string, AttributeValue> {
  return { LockID: { S: lockId }, Info: { S: typeof info === 'string' ? info : JSON.stringify(info) } }
}

function lockOf(record: Record<string, AttributeValue>) {
  return lockSchema.parse(
    lockFrom('id', 'id', 'terraform', terraform.decode(rawItem('LockID', record), NOW), NOW),
  )
}

describe('terraform', () => {
  it('reads who has locked which state, since when, for ever', () => {
    expect(terraform.recognise(rawItem('LockID', item(INFO)), hint)).toEqual({ is: 'lock', confidence: 0.99 })
    expect(lockOf(item(INFO))).toMatchObject({
      name: STATE,
      owner: INFO.ID,
      holder: { label: 'ana@corp@build-7', user: 'ana@corp', host: 'build-7' },
      acquiredAt: Date.parse('2026-08-22T09:00:00.123Z'),
      acquiredAtSource: 'stored',
      lease: { kind: 'never' },
      fields: { Operation: 'OperationTypeApply', Version: '1.9.5', Path: STATE },
      notes: [],
    })
  })

  it('takes the digest beside a lock for no lock', () => {
    const digest = { LockID: { S: `${STATE}-md5` }, Digest: { S: 'd41d8cd98f00b204e9800998ecf8427e' } }
    expect(terraform.recognise(rawItem('LockID', digest), hint)).toEqual({ is: 'companion' })
  })

  it('does not take an item for a digest that only has its name or only its attribute', () => {
    const named = { LockID: { S: `${STATE}-md5` } }
    const digest = { LockID: { S: STATE }, Digest: { S: 'd41d8cd98f00b204e9800998ecf8427e' } }
    for (const record of [named, digest])
      expect(terraform.recognise(rawItem('LockID', record), hint)).toEqual({
        is: 'other',
        reason: 'it has no Info',
      })
  })

  it.each([
    ['not json \u001b[31m', 'its Info is not JSON: not json \\x1b[31m'],
    ['', 'its Info is not JSON: '],
    ['[]', 'its Info is not an object: []'],
    ['null', 'its Info is not an object: null'],
  ])('gives the reason why it cannot read the Info %j', (info, reason) => {
    expect(terraform.recognise(rawItem('LockID', item(info)), hint)).toEqual({ is: 'other', reason })
  })

  it('gives the reason why it cannot read an Info that is not a string', () => {
    const record = { LockID: { S: STATE }, Info: { M: {} } }
    expect(terraform.recognise(rawItem('LockID', record), hint)).toEqual({
      is: 'other',
      reason: 'its Info is a map where a string is expected',
    })
  })

  it('leaves tables with another key, a sort key or a binary key alone', () => {
    const other = { is: 'other' }
    expect(terraform.recognise(rawItem('lock_key', item(INFO)), hint)).toEqual(other)
    expect(terraform.recognise(rawItem('LockID', item(INFO), { sort: 'x' }), hint)).toEqual(other)
    expect(terraform.recognise(rawItem('LockID', item(INFO), { type: 'B' }), hint)).toEqual(other)
  })

  it('notes what is missing or makes no sense', () => {
    expect(lockOf(item({}))).toMatchObject({
      owner: null,
      holder: null,
      acquiredAt: null,
      acquiredAtSource: 'unknown',
      notes: [
        { code: 'missing-field', field: 'Info.ID' },
        { code: 'missing-field', field: 'Info.Created' },
      ],
    })
    expect(lockOf(item({ ...INFO, Created: 'yesterday', Who: 'nobody', ID: 7 }))).toMatchObject({
      owner: null,
      holder: { label: 'nobody' },
      acquiredAt: null,
      notes: [{ field: 'Info.ID' }, { code: 'wrong-type', field: 'Info.Created', found: 'yesterday' }],
    })
  })

  it('is released only while Info is unchanged', () => {
    const { Info } = item(INFO)
    expect(terraform.release(rawItem('LockID', item(INFO)), undefined)).toEqual({
      guards: [{ attribute: 'Info', seen: Info }],
    })
    expect(lockOf(item(INFO)).fence).not.toBe(lockOf(item({ ...INFO, ID: 'other' })).fence)
  })

  it('tells the operator about the digest, force-unlock and the lock file', () => {
    expect(terraform.info.release).toMatch(/-md5.*\.tflock/s)
    expect(terraform.info.release).toContain('terraform force-unlock ID')
  })
})
