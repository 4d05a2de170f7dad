import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { allFormats, BUILT_IN_KINDS } from '../../electron/core/stores/kinds/kinds.ts'

const page = readFileSync(new URL('../../docs/plans.md', import.meta.url), 'utf8')
const rows = page.split('\n').map(line => line.split('|').map(cell => cell.trim()))

it('the page states for every format whether it can be restored, and why not', () => {
  for (const { id, title, store, noUndo } of allFormats())
    expect(rows).toContainEqual([
      '',
      `${title} (\`${id}\`)`,
      store,
      noUndo === null ? 'yes' : `no: ${noUndo}`,
      '',
    ])
})

it('the page states the default rates', () => {
  for (const { description } of BUILT_IN_KINDS)
    expect(rows.map(([, name, value]) => [name?.toLowerCase(), value])).toContainEqual([
      description.id,
      String(description.releasesPerSecond),
    ])
})
