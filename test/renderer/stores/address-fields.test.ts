import { describe, expect, test } from 'vitest'
import { newFields, spell, understand, withKind } from '../../../renderer/features/stores/address-fields.ts'

test.each([
  'redis://127.0.0.1:6379/0',
  'rediss://ops@cache.example:6380/3?match=lock:*&format=token',
  'rediss://h:6379/0?ca=/etc/ca.pem&cert=c.pem&key=k.pem&servername=cache.example',
  'redis+sentinel://a:26379,b:26379/main/2',
  'rediss+cluster://a:7000,b:7001',
  'redis://[::1]:6379/0',
  'redis://us%40er@h:6379/0?match=%C3%A9*',
  'mysql://root@db:3306/shop',
  'mysql://root@db:3306/s%2Fhop?table=locks&format=shedlock-table&tls=true',
  'mysql://root@db:3306/shop?tls=true&ca=/etc/ca.pem&cert=c.pem&key=k.pem&servername=db.example',
  'mysql://root@db:3306/shop?allowPublicKeyRetrieval=true',
  'dynamodb://eu-west-1/locks',
  'dynamodb://AKIA@eu-west-1/locks?endpoint=http://127.0.0.1:8000&profile=ops',
  'dynamodb://eu-west-1/locks?endpoint=https://10.0.0.1:8000&ca=/etc/ca.pem&servername=dynamo.example',
  'memory:practice',
])('%s survives the form', address => {
  const first = understand(address)
  if (!first.ok) throw new Error(first.message)
  const again = understand(spell(first.fields))
  expect(again).toMatchObject({ ok: true, address: first.address, fields: first.fields })
})

test('takes the password out of a pasted address', () => {
  const parsed = understand('  redis://ops:s3cret%2F@h:6379/0 ')
  expect(parsed).toMatchObject({ ok: true, password: 's3cret/' })
  expect(JSON.stringify({ ...parsed, password: null })).not.toContain('s3cret')
})

test.each(['', 'redis://', 'redis://h:99999/0', 'mysql://h', 'nonsense', 'dynamodb://eu-west-1/a'])(
  'names the error in %j',
  address => {
    expect(understand(address)).toEqual({ ok: false, message: expect.stringMatching(/^[A-Z].*[^.]$/) })
  },
)

test('turning off TLS leaves out its options, and forgets none', () => {
  const parsed = understand('mysql://root@db:3306/shop?tls=true&ca=/etc/ca.pem')
  if (!parsed.ok) throw new Error(parsed.message)
  const { kind, texts } = parsed.fields
  expect(spell({ kind, texts: { ...texts, tls: '' } })).toBe('mysql://root@db:3306/shop')
  expect(spell({ kind, texts })).toBe(parsed.address)
})

describe('another kind of store', () => {
  test('brings its usual host', () => {
    expect(spell(withKind(newFields(), 'mysql'))).toBe('mysql://127.0.0.1:3306/')
    expect(withKind(withKind(newFields(), 'dynamodb'), 'redis').texts['hosts']).toBe('127.0.0.1:6379')
  })
  test('keeps a host that was typed, and forgets a format of the other', () => {
    const typed = { kind: 'redis', texts: { hosts: 'db.internal:3307', format: 'token' } }
    expect(withKind(typed, 'mysql')).toMatchObject({ texts: { hosts: 'db.internal:3307', format: '' } })
  })
})
