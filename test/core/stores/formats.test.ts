import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL_FORMATS } from '../../../electron/core/stores/kinds/formats.ts'
import { STORE_KINDS } from '../../../shared/locks.ts'

const root = new URL('../../../', import.meta.url)

it.each(STORE_KINDS)('every file in the formats of %s is a format that is listed, and has its test', kind => {
  const files = readdirSync(new URL(`electron/core/stores/${kind}/formats/`, root))
    .filter(file => file !== 'index.ts')
    .map(file => file.slice(0, -3))
  const listed = ALL_FORMATS.filter(format => format.store === kind).map(format => format.id)
  expect(listed.sort()).toEqual(files.sort())
  for (const id of files) {
    expect(existsSync(new URL(`test/core/stores/${kind}/formats/${id}.test.ts`, root)), id).toBe(true)
  }
})

it('no two formats share a name', () => {
  expect(new Set(ALL_FORMATS.map(format => format.id)).size).toBe(ALL_FORMATS.length)
})
