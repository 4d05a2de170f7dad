import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CSV_COLUMNS } from '../../electron/core/features/reports/write-csv.ts'
import { REPORT_SCHEMA, reportDocumentSchema } from '../../shared/report-document.ts'

const page = readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8')
const rows = page.split('\n').map(line => line.split('|').map(cell => cell.trim()))

it('names the schema, and everything that is in the document', () => {
  expect(page).toContain(`\`${REPORT_SCHEMA}\``)
  const described = new Map(rows.map(([, name = '', text = '']) => [name.replaceAll('`', ''), text]))
  for (const [name, schema] of Object.entries(reportDocumentSchema.shape)) {
    const text = described.get(name)
    expect(text, name).toBeDefined()
    for (const member of membersOf(schema)) expect(text, `${name}.${member}`).toContain(`\`${member}\``)
  }
})

it('names every column of the table', () => {
  for (const column of CSV_COLUMNS) expect(page).toContain(`\`${column}\``)
})

/** The members of an object, or of what a list has. */
function membersOf(schema: unknown): string[] {
  const { shape, element, unwrap } = schema as {
    shape?: Record<string, unknown>
    element?: unknown
    unwrap?: () => unknown
  }
  if (shape) return Object.keys(shape)
  if (element) return membersOf(element)
  return unwrap ? membersOf(unwrap.call(schema)) : []
}
