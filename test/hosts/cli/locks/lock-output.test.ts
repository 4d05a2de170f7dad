import { expect, it } from 'vitest'
import { lockTable } from '../../../../electron/hosts/cli/locks/lock-output.ts'
import { textWidth } from '../../../../shared/safe-text.ts'
import { aLock } from '../../../shared/a-lock.ts'

const long = aLock({ key: `lock:${'k'.repeat(60)}`, owner: 'o'.repeat(40) })

it.each([
  [undefined, 100],
  [0, 100],
  [80, 100],
  [100, 100],
  [160, 160],
])('on a terminal of %s columns every line has %i', (columns, expected) => {
  for (const line of lockTable([long], long.observedAt, false, columns))
    expect(textWidth(line)).toBe(expected)
})

it('shows the complete key if there is room', () => {
  expect(lockTable([long], long.observedAt, false, 200).join('\n')).toContain(long.key)
})
