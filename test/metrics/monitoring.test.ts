import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { METRICS } from '../../electron/hosts/metrics/catalogue.ts'
import { ALERT_RULES } from '../../shared/alerts.ts'
import { COUNTED, TIME_EDGES } from '../../shared/stats.ts'
import { promtool } from '../hosts/metrics/promtool.ts'
import { dashboard, docText, metricsIn, RULES_PATH, rulesText } from './files.ts'

const NAMES = Object.keys(METRICS).sort()
const tableRows = docText.split('\n').map(line => line.split('|').map(cell => cell.trim()))
const unquoted = (text = '') => text.replaceAll('`', '')

describe('the alert rules', () => {
  it('are accepted by promtool', () => {
    expect(promtool(['check', 'rules', RULES_PATH])).toMatchObject({
      ok: true,
      said: expect.stringContaining('SUCCESS: 8 rules found'),
    })
  })

  it('fire when they should, and not before', () => {
    const tests = fileURLToPath(new URL('rules.test.yml', import.meta.url))
    expect(promtool(['test', 'rules', tests])).toEqual({ ok: true, said: expect.stringContaining('SUCCESS') })
  })

  it('use metrics, states and rules that exist', () => {
    expect(NAMES).toEqual(expect.arrayContaining(metricsIn(rulesText)))
    for (const [, rules = ''] of rulesText.matchAll(/rule=~?"([^"]+)"/g))
      expect(ALERT_RULES).toEqual(expect.arrayContaining(rules.split('|')))
    for (const [, state = ''] of rulesText.matchAll(/state!?="([^"]+)"/g)) expect(COUNTED).toContain(state)
  })

  it('are documented as they are', () => {
    const rules = [...rulesText.matchAll(/- alert: (\w+)[\s\S]*?for: (\w+)[\s\S]*?severity: (\w+)/g)]
    const documented = tableRows
      .filter(([, name = '']) => /^`[A-Z]\w+`$/.test(name))
      .map(([, name, severity, after]) => [unquoted(name), after, severity])
    expect(documented).toEqual(rules.map(([, ...rule]) => rule))
  })
})

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it('shows every metric, and no other', () => {
    expect(metricsIn(expressions.join('\n'))).toEqual(NAMES)
    expect(NAMES).toEqual(expect.arrayContaining(metricsIn(JSON.stringify(dashboard.templating))))
  })

  it('asks what Prometheus can answer', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-rules-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'expressions.yml')
    const rules = expressions.map((expr, i) => ({ record: `panel:${i}`, expr: filledIn(expr) }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(promtool(['check', 'rules', file])).toMatchObject({
      ok: true,
      said: expect.stringContaining(`SUCCESS: ${expressions.length} rules found`),
    })
  })

  it('can be imported anywhere: the data source is chosen, and no id is used twice', () => {
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'store'])
    for (const { title, datasource, targets = [] } of panels)
      for (const from of [datasource, ...targets.map(each => each.datasource)])
        expect(from?.uid, title).toBe('${' + 'datasource}')
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has panels with a title, a unit and a place of their own', () => {
    for (const { title, fieldConfig } of panels) {
      expect(title).not.toBe('')
      expect(fieldConfig?.defaults.unit, title).toBeDefined()
    }
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBe(24)
  })
})

describe('the documentation', () => {
  it('lists exactly the metrics that are served, with type, labels and meaning', () => {
    const documented = tableRows
      .filter(([, name = '']) => /^`lockkeeper_\w+`$/.test(name))
      .map(([, name, type, labels, help]) => [unquoted(name), type, unquoted(labels), help])
    expect(documented).toEqual(
      Object.entries(METRICS).map(([name, { type, labels, help }]) => [name, type, labels.join(', '), help]),
    )
  })

  it('names every state, and no unknown metric', () => {
    for (const state of COUNTED) expect(docText).toContain(`\`${state}\``)
    expect(NAMES).toEqual(expect.arrayContaining(metricsIn(docText)))
  })

  it('says where the buckets end', () => {
    expect(TIME_EDGES.map(ms => ms / 1000)).toEqual([1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400])
    expect(docText).toContain('1, 5 and 15 seconds, 1, 5 and 15 minutes, 1, 6 and 24 hours')
  })
})

/** With what Grafana puts in. */
function filledIn(expr: string): string {
  return expr.replaceAll('$store', '.*').replaceAll('$__rate_interval', '1m')
}
