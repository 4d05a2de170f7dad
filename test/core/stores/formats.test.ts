import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { allFormats, BUILT_IN_KINDS } from '../../../electron/core/stores/kinds/kinds.ts'

const root = new URL('../../../', import.meta.url)

it.each(BUILT_IN_KINDS.map(({ description }) => description.id))(
  'every format file of %s is listed and has a test',
  kind => {
    const files = readdirSync(new URL(`electron/core/stores/${kind}/formats/`, root))
      .filter(file => file !== 'index.ts')
      .map(file => file.slice(0, -3))
    const listed = allFormats()
      .filter(format => format.store === kind)
      .map(format => format.id)
    expect(listed.sort()).toEqual(files.sort())
    for (const id of files) {
      expect(existsSync(new URL(`test/core/stores/${kind}/formats/${id}.test.ts`, root)), id).toBe(true)
    }
  },
)

it('no two formats share a name', () => {
  expect(new Set(allFormats().map(format => format.id)).size).toBe(allFormats().length)
})
