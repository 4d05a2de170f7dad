import { expect, it } from 'vitest'
import { placeOf } from '../../../../electron/core/features/stores/place.ts'
import { isWeaker, type RuledStore, rulesFor } from '../../../../electron/core/features/stores/store-rules.ts'
import type { StoreProfile } from '../../../../shared/stores.ts'
import { profile } from '../console.ts'

const HERE = 'redis://127.0.0.1:7000/0'

function listed(name: string, more: Partial<StoreProfile> = {}): RuledStore {
  return { storeId: name, profile: profile({ name, address: HERE, ...more }), serverIds: [] }
}

it('the rules of a place are those of all entries that lead there, its own first', () => {
  const list = [
    listed('Billing', { production: true }),
    listed('Plain'),
    listed('Own', { production: true, address: 'redis://localhost:7000/0?match=a:*' }),
    listed('Archive', { readOnly: true, address: 'redis://127.1:7000/0' }),
    listed('Elsewhere', { production: true, readOnly: true, address: 'redis://127.0.0.1:7000/1' }),
  ]
  expect(rulesFor(placeOf(HERE), 'Own', list)).toEqual({
    productionNames: ['Own', 'Billing'],
    readOnlyBy: 'Archive',
    // Billing adds nothing.
    from: ['Archive'],
  })
  expect(rulesFor(placeOf(HERE), 'not in the list', list)).toEqual({
    productionNames: ['Billing', 'Own'],
    readOnlyBy: 'Archive',
    from: ['Billing', 'Own', 'Archive'],
  })
})

it('an entry with rules whose address is not valid may mean any place, one without rules none', () => {
  const list = [listed('Old', { address: 'cassandra://h/locks' })]
  expect(rulesFor(placeOf(HERE), 'x', list)).toMatchObject({ productionNames: [], readOnlyBy: null })
  const ruled = [listed('Old', { address: 'cassandra://h/locks', readOnly: true })]
  expect(() => rulesFor(placeOf(HERE), 'x', ruled)).toThrow(
    'The address of Old is not valid, so it is unknown where its rules apply, and nothing was changed',
  )
})

it.each<[string, Partial<StoreProfile>, boolean]>([
  ['keeps its rules under another spelling', { address: 'redis://localhost:7000/0?match=a:*' }, false],
  ['loses a rule', { readOnly: false }, true],
  ['moves to another database', { address: 'redis://127.0.0.1:7000/1' }, true],
  ['moves to another server', { address: 'redis://127.0.0.1:7001/0' }, true],
])('a place that %s is weaker: %s', (_, change, weaker) => {
  const before = profile({ address: HERE, production: true, readOnly: true })
  expect(isWeaker(before, { ...before, ...change })).toBe(weaker)
})

it('a place is weaker if its rules are limited to one of its tables', () => {
  const at = (address: string) => profile({ address, readOnly: true })
  expect(isWeaker(at('mysql://h/shop'), at('mysql://h/shop?table=locks'))).toBe(true)
  expect(isWeaker(at('mysql://h/shop?table=locks'), at('mysql://h/shop'))).toBe(false)
})
