import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { markdownCode, markdownText } from '../../../../electron/core/features/reports/escape.ts'
import { programPath } from '../../../servers/process.ts'
import { HOSTILE } from './hostile.ts'
import { memoryPlace, readReport, watching, writeReport } from './reporting.ts'

/** Controls but the end of a line, marks that reorder text, and what cannot be seen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

/** As GitHub and others show it, with HTML let through and every bare address made a link. */
function markdownToHtml(text: string): string {
  const extensions = ['table', 'autolink', 'strikethrough', 'tasklist'].flatMap(name => ['-e', name])
  return execFileSync(programPath('cmark-gfm'), ['--unsafe', ...extensions], { input: text }).toString()
}

const OURS = /^<\/?(h1|h2|h3|p|ul|li|blockquote|strong|code|table|thead|tbody|tr|th|td)( align="right")?>$/

/** A console whose stores, keys, holders and words of the operator are all of that kind. */
async function hostileConsole() {
  const place = memoryPlace()
  for (const [i, text] of HOSTILE.entries())
    place.server.records.set(text, {
      tenant_id: text,
      pipeline_id: `p${i}`,
      pipeline_logging_id: text,
      locked_by: text,
      locked_at: Date.now() / 1000 - 3 * 3600,
    })
  const console = await watching(place.address)
  const [store] = (await console.ask('stats.read', {})).stores
  const profile = { name: '<b>|`x`](javascript:1)', address: place.address, colour: 'teal' as const }
  await console.ask('stores.edit', {
    storeId: store?.storeId ?? '',
    profile: { ...profile, production: false, readOnly: false },
  })
  return console
}

const ASKED = {
  title: HOSTILE.slice(0, 8).join(' ').slice(0, 200),
  summary: HOSTILE.join('\n').slice(0, 20_000),
}

test('Markdown with hostile names contains no markup of theirs', async () => {
  const console = await hostileConsole()
  const { text } = await writeReport(console, { as: 'md', ...ASKED })
  expect(text).not.toMatch(RAW)
  const html = markdownToHtml(text)
  expect((html.match(/<[^>]*>/g) ?? []).filter(tag => !OURS.test(tag))).toEqual([])
  // Every row of a table has as many cells as its head.
  for (const [table] of html.matchAll(/<table>.*?<\/table>/gs)) {
    const rows = [...table.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row.match(/<t[hd][ >]/g)?.length)
    expect(new Set(rows).size).toBe(1)
  }
  const locks = html.slice(html.indexOf('All locks')).match(/<tr>/g)
  expect(locks).toHaveLength(HOSTILE.length + 1)
})

test.each(HOSTILE)('Markdown shows %j as text', text => {
  for (const write of [markdownCode, markdownText]) {
    const shown = markdownToHtml(`${write(text)}\n\n| a | b |\n| --- | --- |\n| ${write(text)} | end |\n`)
    const tags = (shown.match(/<[^>]*>/g) ?? []).filter(tag => !OURS.test(tag))
    expect(tags).toEqual([])
    expect(shown).toMatch(/<td>end<\/td>\n<\/tr>\n<\/tbody>\n<\/table>\n$/)
    expect(shown).not.toMatch(/<(h\d|ul|ol|blockquote|strong|em)/)
  }
})

test('JSON with hostile names matches the schema, and prints harmlessly', async () => {
  const console = await hostileConsole()
  const { text } = await writeReport(console, { as: 'json', ...ASKED })
  expect(text).not.toMatch(RAW)
  const { locks } = await readReport(console)
  expect(locks.map(({ key }) => key).sort()).toEqual([...HOSTILE].sort())
})

test('HTML with hostile names contains no element, attribute or address of theirs', async () => {
  const console = await hostileConsole()
  const { text } = await writeReport(console, { as: 'html', ...ASKED })
  expect(text).not.toMatch(RAW)
  const body = text.slice(text.indexOf('<body>'))
  const names = new Set([...body.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name))
  expect([...names].filter(name => !HTML.includes(name ?? ''))).toEqual([])
  const attributes = [...body.matchAll(/<[a-z0-9]+((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)].flatMap(
    ([, all = '']) => [...all.matchAll(/([a-z-]+)=/gi)].map(([, name]) => name),
  )
  expect(attributes.filter(name => /^on|^style$|^href$|^src$/i.test(name ?? ''))).toEqual([])
  expect(text.match(/<style>/g)).toHaveLength(1)
})

const HTML = [
  ...['body', 'main', 'header', 'h1', 'h2', 'h3', 'p', 'dl', 'dt', 'dd', 'div', 'span', 'code', 'ul', 'li'],
  ...['table', 'colgroup', 'col', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'figcaption', 'article'],
  ...['svg', 'title', 'desc', 'defs', 'pattern', 'circle', 'path', 'rect', 'text', 'html'],
]

/** What a spreadsheet would make of it, by a reader that is not ours. */
const READ_CSV = `
import csv, json, sys
with open(0, encoding='utf-8-sig', newline='') as file:
    print(json.dumps(list(csv.reader(file, strict=True))))
`

test('CSV with hostile names has complete rows and no formula', async () => {
  const console = await hostileConsole()
  const { text } = await writeReport(console, { as: 'csv', ...ASKED })
  expect(text.charCodeAt(0)).toBe(0xfeff)
  expect(text).not.toMatch(RAW)
  const output = execFileSync(programPath('python3'), ['-c', READ_CSV], { input: text, maxBuffer: 1e8 })
  const rows = JSON.parse(output.toString()) as string[][]
  const [head = []] = rows
  expect(new Set(rows.map(row => row.length))).toEqual(new Set([head.length]))
  const cells = rows.flatMap(row => row.filter((_, i) => head[i] !== 'value'))
  expect(cells.filter(cell => /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell))).toEqual([])
  expect(rows.filter(([part]) => part === 'lock')).toHaveLength(HOSTILE.length)
  // One line a row, for tools that know nothing of quotes.
  expect(text.trimEnd().split('\r\n')).toHaveLength(rows.length)
})
