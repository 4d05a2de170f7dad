import { expect, test } from 'vitest'
import { writerFor } from '../../../../electron/core/features/reports/writers.ts'
import { aReport, someLocks } from './a-report.ts'

const LONG = Array.from({ length: 300 }, (_, i) => `word-${i}`).join(' ')
const KEY = 'k'.repeat(5000)

test.each(['md', 'html'] as const)('%s truncates data from a store, never text that people wrote', as => {
  const report = aReport()
  const { asked, actions, alerts, figures, attention } = report
  const [first] = actions.listed
  const [alert] = alerts?.listed ?? []
  const [needy] = attention.locks
  const [lock] = someLocks(1)
  if (!first || !alert || !alerts || !needy || !lock || !figures.overall.oldest) throw new Error('no report')
  const reason = `because ${LONG}`
  const writer = writerFor(as)
  const text = [
    ...writer.begin({
      ...report,
      asked: { ...asked, summary: `${LONG}\n${LONG}`, filter: `"${LONG}"` },
      attention: { locks: [{ ...needy, key: KEY }], more: 0 },
      figures: {
        ...figures,
        overall: { ...figures.overall, oldest: { ...figures.overall.oldest, key: KEY } },
      },
      alerts: {
        ...alerts,
        listed: [{ ...alert, key: KEY, acknowledged: { by: 'ana', at: asked.at, reason } }],
      },
      actions: {
        ...actions,
        listed: [{ ...first, key: KEY, reason, notDone: [{ key: KEY, outcome: 'failed', message: null }] }],
      },
    }),
    writer.locks([{ ...lock, key: KEY }]),
  ].join('')
  // The two paragraphs of the summary, two mentions of the filter, and two reasons.
  expect(text.match(/word-299/g)).toHaveLength(6)
  expect(text).toContain('k'.repeat(400))
  expect(text).not.toContain('k'.repeat(401))
})
