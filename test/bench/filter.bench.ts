import { afterAll, expect, it } from 'vitest'
import { type FilterSubject, matches, parseFilter } from '../../shared/filter.ts'
import { aLock } from '../shared/a-lock.ts'
import { inTurns } from './measure.ts'
import { millis, printResults, record, times } from './table.ts'

const ROWS = 10_000
const NOW = 1_800_000_000_000
const SECOND = 1000

afterAll(() => printResults(`Filtering ${ROWS.toLocaleString('en')} rows, as with every key that is typed`))

it('costs little more than looking for the same words in every row', async () => {
  const rows = Array.from({ length: ROWS }, (_, i): FilterSubject => {
    const lock = aLock({
      key: `lock:auction:${i}`,
      owner: `worker-${i % 97}`,
      ...{ acquiredAt: NOW - i * SECOND, acquiredAtSource: 'stored' },
      lease: { kind: 'deadline', expiresAt: NOW + i * 10, source: 'stored', afterwards: 'expired' },
    })
    return { lock, storeName: 'Shop EU', storeKind: 'redis', production: false }
  })
  const filter = parseFilter('auction -worker-5 state:held,expiring age>1m left<10h "shop eu"')
  const { floorMs, oursMs, ours } = await inTurns(
    15,
    async () =>
      rows.filter(({ lock: { key, owner }, storeName }) => {
        const text = `${key} ${owner} ${storeName}`.toLowerCase()
        return text.includes('auction') && !text.includes('worker-5') && text.includes('shop eu')
      }).length,
    async () => rows.filter(row => matches(filter, row, NOW)).length,
  )
  expect(ours).toBeGreaterThan(1000)
  record({ 'words only': millis(floorMs), 'the filter': millis(oursMs), ratio: times(oursMs / floorMs) })
  expect(oursMs / floorMs).toBeLessThan(4)
})
