import { expect, it } from 'vitest'
import { MetricsReader } from '../../../../electron/core/features/metrics/metrics-reader.ts'
import { ObservedStore } from '../../../hosts/metrics/observed-store.ts'

it('resolves store names once for all tenures that end in one pass, and again for the next', async () => {
  const stores = [new ObservedStore('a'), new ObservedStore('b')]
  const names = new Map([['b', 'before']])
  let asked = 0
  const metrics = new MetricsReader({
    stores: () => stores,
    nameOf(storeId) {
      asked++
      return names.get(storeId) ?? storeId
    },
    alerts: null,
  })
  const told: string[] = []
  metrics.listen(({ name }) => told.push(name))
  const [, b] = stores as [ObservedStore, ObservedStore]
  for (let i = 0; i < 1000; i++) metrics.onTenureEnd(b, 5)
  expect(asked).toBe(stores.length)
  names.set('b', 'after')
  await Promise.resolve()
  metrics.onTenureEnd(b, 5)
  expect(told.slice(-2)).toEqual(['before', 'after'])
})
