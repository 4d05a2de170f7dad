import { expect, it } from 'vitest'
import { distinctNames } from '../../../../electron/core/features/metrics/metrics-reader.ts'

const at = (address: string, name = 'redis at 127.0.0.1') => ({ name, address })

it('keeps names that are different', () => {
  expect(distinctNames([at('redis://127.0.0.1:6379/0'), at('memory:practice', 'practice')])).toEqual([
    'redis at 127.0.0.1',
    'practice',
  ])
})

it('distinguishes stores with the same name by address, without the account', () => {
  expect(distinctNames([at('redis://ops@127.0.0.1:6379/0'), at('redis://127.0.0.1:6380/0')])).toEqual([
    'redis://127.0.0.1:6379/0',
    'redis://127.0.0.1:6380/0',
  ])
})

it('numbers stores at the same address under two accounts', () => {
  expect(distinctNames([at('redis://a@127.0.0.1:6379/0'), at('redis://b@127.0.0.1:6379/0')])).toEqual([
    'redis://127.0.0.1:6379/0',
    'redis://127.0.0.1:6379/0 (2)',
  ])
})
