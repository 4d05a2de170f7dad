import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL_FORMATS } from '../../electron/core/stores/kinds/formats.ts'
import { GENTLE } from '../../shared/plans.ts'

const page = readFileSync(new URL('../../docs/plans.md', import.meta.url), 'utf8')
const rows = page.split('\n').map(line => line.split('|').map(cell => cell.trim()))

it('says of every format whether it can be put back, and why not', () => {
  for (const { id, title, store, noUndo } of ALL_FORMATS)
    expect(rows).toContainEqual([
      '',
      `${title} (\`${id}\`)`,
      store,
      noUndo === null ? 'yes' : `no: ${noUndo}`,
      '',
    ])
})

it('names the rates that are kept', () => {
  for (const [kind, rate] of Object.entries(GENTLE))
    expect(rows.map(([, name, value]) => [name?.toLowerCase(), value])).toContainEqual([kind, String(rate)])
})
