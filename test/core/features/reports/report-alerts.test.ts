import { expect, test } from 'vitest'
import { gatherAlerts } from '../../../../electron/core/features/reports/gather-alerts.ts'
import type { ReportedStore } from '../../../../electron/core/features/reports/sources.ts'
import { writerFor } from '../../../../electron/core/features/reports/writers.ts'
import { alertAdvice } from '../../../../shared/alert-words.ts'
import type { Alert } from '../../../../shared/alerts.ts'
import { reportHeadSchema } from '../../../../shared/report-document.ts'
import { aReport } from './a-report.ts'

const AT = Date.parse('2026-10-02T12:00:00Z')

function anAlert(n: number, change: Partial<Alert> = {}): Alert {
  return {
    ...{
      alertId: `a${n}`,
      rule: 'expired',
      severity: 'critical',
      storeId: 's',
      storeName: 'pa55word store',
    },
    ...{
      address: 'memory:x',
      lockId: `lock-${n}`,
      key: `key-${n}`,
      holder: 'run-1',
      since: AT + n,
      until: null,
    },
    ...{
      count: 1,
      value: 60_000,
      limit: null,
      detail: 'said with pa55word',
      acknowledged: null,
      muteId: null,
    },
    ...change,
  }
}

const STORES = new Map([['s', { name: 'orders' } as ReportedStore]])
const SENTENCE =
  'The lease of key-1 in ••• store, held by run-1, ended 1 min 00 s ago, and the record is still stored.'
const redact = (text: string) => text.replaceAll('pa55word', '•••')

function told(alerts: readonly Alert[]) {
  const source = { within: () => ({ alerts, left: 2, since: AT - 1000 }) }
  const { section, locks } = gatherAlerts(source, STORES, { from: AT, to: AT + 1000 })
  return { told: section(redact), locks }
}

test('alerts have the name of their store, and advice once per rule', () => {
  const acknowledged = { by: 'ana', at: AT, reason: 'known, like pa55word' }
  const { told: section, locks } = told([
    anAlert(2, { acknowledged, until: AT + 5 }),
    anAlert(1, { muteId: 'm' }),
    anAlert(3, { storeId: 'another' }),
  ])
  expect(section).toMatchObject({
    listed: [
      {
        store: 'orders',
        key: 'key-1',
        says: SENTENCE,
        detail: 'said with •••',
        muted: true,
      },
      {
        key: 'key-2',
        until: '2026-10-02T12:00:00.005Z',
        acknowledged: { by: 'ana', reason: 'known, like •••' },
      },
    ],
    ...{ more: 0, left: 2, knownSince: '2026-10-02T11:59:59.000Z' },
    advice: [{ rule: 'expired', next: alertAdvice(anAlert(1)) }],
  })
  expect([...locks]).toEqual(['s lock-2', 's lock-1'])
  const head = aReport({ alerts: section })
  expect(reportHeadSchema.parse(head)).toEqual(head)
  for (const as of ['md', 'html', 'csv', 'json'] as const)
    expect([...writerFor(as).begin(head)].join('')).toContain('The lease of key-1 in')
  // For people, a rule has its title.
  expect([...writerFor('md').begin(head)].join('')).toContain('### Past its expiry')
  const html = [...writerFor('html').begin(head)].join('')
  expect(html).toContain('<h3>Past its expiry <span')
  expect(html).toContain('<td>Past its expiry. The lease of key-1')
})

test('lists the newest of very many alerts', () => {
  const { told: section } = told(Array.from({ length: 700 }, (_, i) => anAlert(i)))
  expect(section?.listed).toHaveLength(500)
  expect(section?.more).toBe(200)
  expect(section?.listed.at(-1)?.key).toBe('key-699')
})

test('omits alerts in a host without alerts', () => {
  expect(gatherAlerts(null, STORES, { from: 0, to: 1 }).section(redact)).toBeNull()
  const text = [...writerFor('md').begin(aReport({ alerts: null }))].join('')
  expect(text).not.toMatch(/alert/i)
})
