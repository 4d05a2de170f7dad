import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RuleSetting } from '../../shared/alert-rule.ts'
import { ALERT_RULES, RULES } from '../../shared/alerts.ts'

const text = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8')

function say(ms: number): string {
  if (ms >= 3_600_000) return `${ms / 3_600_000} h`
  return ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`
}

function sayLimit({ limit }: RuleSetting, unit: string | null): string {
  if (limit === null) return ''
  return unit === 'fraction' ? `${limit * 100} %` : unit === 'times' ? `${limit} times` : say(limit)
}

test('the documented rules are the rules, with what is usual', () => {
  const rows = text
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()))
  const usual = ALERT_RULES.map(rule => {
    const { defaults, limit } = RULES[rule]
    return [
      `\`${rule}\``,
      sayLimit(defaults, limit?.unit ?? null),
      defaults.forMs === 0 ? '' : say(defaults.forMs),
    ]
  })
  expect(rows.map(([, rule, , limit, forMs]) => [rule, limit, forMs])).toEqual(usual)
})
