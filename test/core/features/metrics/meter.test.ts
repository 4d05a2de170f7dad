import { expect, it } from 'vitest'
import { Meter } from '../../../../electron/core/features/metrics/meter.ts'
import { ObservedStore } from '../../../hosts/metrics/observed-store.ts'

it('finds out what stores are called once for all holds that end in one look, and again for the next', async () => {
  const stores = [new ObservedStore('a'), new ObservedStore('b')]
  const names = new Map([['b', 'before']])
  let asked = 0
  const meter = new Meter({
    stores: () => stores,
    nameOf(storeId) {
      asked++
      return names.get(storeId) ?? storeId
    },
    alerts: null,
  })
  const told: string[] = []
  meter.onHeld(({ name }) => told.push(name))
  const [, b] = stores as [ObservedStore, ObservedStore]
  for (let i = 0; i < 1000; i++) meter.ended(b, 5)
  expect(asked).toBe(stores.length)
  names.set('b', 'after')
  await Promise.resolve()
  meter.ended(b, 5)
  expect(told.slice(-2)).toEqual(['before', 'after'])
})
