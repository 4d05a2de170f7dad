import { describe, expect, it } from 'vitest'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { credentialsFor } from '../../../../electron/core/stores/dynamodb/connect.ts'
import { parseAddress } from '../../../../shared/address.ts'

const address = parseAddress('dynamodb://eu-west-1/locks?endpoint=http://localhost:8000') as DynamoAddress
const madeUp = { accessKeyId: 'local', secretAccessKey: 'local' }

describe('credentials', () => {
  it('come from the address when it has both parts', () => {
    expect(credentialsFor({ ...address, username: 'AKIA', password: 's3' }, {})).toEqual({
      accessKeyId: 'AKIA',
      secretAccessKey: 's3',
    })
  })

  it.each([
    ...['http://localhost:8000', 'http://127.0.0.1:8000', 'http://[::1]:8000'],
    'http://dynamodb.localhost:8000',
  ])('are made up for an emulator at %s', endpoint => {
    expect(credentialsFor({ ...address, endpoint }, {})).toEqual(madeUp)
  })

  it('are left to the SDK when the operator has some, or the server is elsewhere', () => {
    expect(credentialsFor(address, { AWS_ACCESS_KEY_ID: 'AKIA' })).toBeUndefined()
    expect(credentialsFor(address, { AWS_PROFILE: 'ops' })).toBeUndefined()
    expect(credentialsFor({ ...address, profile: 'ops' }, {})).toBeUndefined()
    expect(credentialsFor({ ...address, endpoint: null }, {})).toBeUndefined()
    expect(credentialsFor({ ...address, endpoint: 'http://127.0.0.1.example.com' }, {})).toBeUndefined()
    expect(credentialsFor({ ...address, endpoint: 'http://notlocalhost:8000' }, {})).toBeUndefined()
  })
})
