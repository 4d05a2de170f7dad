import { expect, test } from 'vitest'
import { filterTrouble, parseFilter } from '../../shared/filter.ts'
import { typedTerms } from '../../shared/filter-syntax.ts'

test.each([
  ['state:exp', '“exp” is not a state; use held, expiring, expired, released, unknown, no-expiry'],
  ['state:held,old', /^“old” is not a state; use held/],
  ['kind:oracle', '“oracle” is not a kind of store; use redis, mysql, dynamodb, memory'],
  ['is:broken', '“broken” is not a word for is:; use production, stuck, attention'],
  ['age>long', '“long” is not a duration, such as 90s, 15m or 2h'],
  ['pipeline age>', '“age>” needs a value'],
  ['owner:', '“owner:” needs a value'],
  ['x -', '“-” needs a value'],
  ['""', '“""” needs a value'],
  ['kind:\u202eabc', /^“\\u\{202e\}abc” is not a kind/],
])('names the word that is wrong in %j', (text, said) => {
  const trouble = filterTrouble(text)
  if (typeof said === 'string') expect(trouble).toBe(said)
  else expect(trouble).toMatch(said)
})

test.each(['', '  ', 'billing', 'state:held,expired -owner:x age>2h', '"two words"', 'lock:auction:8841'])(
  'has nothing to say about %j',
  text => {
    expect(filterTrouble(text)).toBeNull()
    // Then every word that was typed counts.
    expect(parseFilter(text).terms).toHaveLength(typedTerms(text).length)
  },
)
