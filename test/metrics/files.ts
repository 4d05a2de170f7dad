import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What comes with the documentation for a monitoring system. */
const path = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))

export const RULES_PATH = path('metrics/lockkeeper.rules.yml')
export const rulesText = readFileSync(RULES_PATH, 'utf8')
export const docText = readFileSync(path('metrics.md'), 'utf8')

export type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}
export const dashboard = JSON.parse(readFileSync(path('metrics/lockkeeper-dashboard.json'), 'utf8')) as {
  readonly title: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
}

/** The metrics that an expression names; those of a histogram by the histogram's name. */
export function metricsIn(text: string): string[] {
  const names = text.match(/\blockkeeper_\w+/g) ?? []
  return [...new Set(names.map(name => name.replace(/_(bucket|sum|count)$/, '')))].sort()
}
