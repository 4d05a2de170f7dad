import { expect, test } from 'vitest'
import { parseFilter } from '../../shared/filter.ts'
import { typedTerms } from '../../shared/filter-syntax.ts'
import { filterTrouble } from '../../shared/filter-words.ts'

test.each([
  ['state:exp', '“exp” is no state; there is held, expiring, expired, released, unknown, no-expiry'],
  ['state:held,old', /^“old” is no state; there is held/],
  ['kind:oracle', '“oracle” is no kind of store; there is redis, mysql, dynamodb, memory'],
  ['is:broken', '“broken” is no word for is:; there is production, stuck, attention'],
  ['age>long', '“long” is no duration, such as 90s, 15m or 2h'],
  ['pipeline age>', '“age>” has nothing behind it'],
  ['owner:', '“owner:” has nothing behind it'],
  ['x -', '“-” has nothing behind it'],
  ['""', '“""” has nothing behind it'],
  ['kind:\u202eabc', /^“\\u\{202e\}abc” is no kind/],
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
