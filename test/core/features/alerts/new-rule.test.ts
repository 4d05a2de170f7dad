import { expect, it, vi } from 'vitest'
import { MetricsReader } from '../../../../electron/core/features/metrics/metrics-reader.ts'
import { createExposition } from '../../../../electron/hosts/metrics/exposition.ts'
import { alertAdvice, alertSentence, alertsSentence } from '../../../../shared/alert-words.ts'
import { ALERT_RULES, type AlertRule, alertRuleSchema, RULES, settingOf } from '../../../../shared/alerts.ts'
import { samplesOf } from '../../../hosts/metrics/exposed.ts'
import { SOURCES, textOf } from '../../../source-files.ts'
import { AlertTest, SECOND } from './an-alert-test.ts'

/** Stands for adding the definition to the list in alert-rules.ts. */
vi.mock('../../../../shared/alert-rules.ts', async original => {
  const actual = await original<typeof import('../../../../shared/alert-rules.ts')>()
  const { shouting } = await import('./an-added-rule.ts')
  return { ...actual, ALERT_RULE_DEFINITIONS: [...actual.ALERT_RULE_DEFINITIONS, shouting] }
})

const RULE = 'shouting' as AlertRule

it('a new rule is one definition: it finds, advises, has settings and is measured', async () => {
  const test = await AlertTest.begin()
  const store = test.store()
  store.hold('GPS_PROCESS')
  store.hold('quiet')
  store.pass()
  const open = await test.open()
  expect(open).toMatchObject([{ rule: RULE, severity: 'notice', key: 'GPS_PROCESS', value: 10, limit: 3 }])
  expect(open.map(alertSentence)).toEqual(['GPS_PROCESS in recharges has 10 capital letters.'])
  expect(alertsSentence(RULE, 2, 'recharges')).toBe('2 locks in recharges shout.')
  expect(open.map(alertAdvice)).toEqual([['Take a deep breath.', 'Rename the key.']])

  const setting = { enabled: true, limit: 10, forMs: 0 }
  await test.alerts.decisions.decide({ all: { [RULE]: setting }, stores: {}, notify: true })
  test.wait(SECOND)
  store.pass()
  expect(await test.open()).toEqual([])
  expect(settingOf(test.alerts.decisions.book, RULE, 'memory:recharges')).toEqual(setting)
  expect(alertRuleSchema.parse(RULE)).toBe(RULE)

  const metrics = new MetricsReader({
    stores: () => [store.store],
    nameOf: storeId => storeId,
    alerts: test.alerts,
  })
  store.store.history.onPass({
    ...{ locks: store.locks, serverTime: test.now, offsetMs: 0, errorMs: 0 },
    ...{ scanned: 2, tookMs: 1, unbroken: true },
  })
  const exposition = await createExposition({ metrics, version: '0', keys: 0 })
  const samples = samplesOf(await exposition.text())
  expect(samples).toContainEqual({
    ...{ name: 'lockkeeper_alerts_open', value: 0 },
    labels: { store: 'recharges', rule: RULE },
  })
})

it.each(ALERT_RULES)('%s is defined completely', rule => {
  const { title, about, limit, defaults, advice } = RULES[rule]
  expect(title).toMatch(/^[A-Z]/)
  expect(about).toMatch(/^[A-Z].*\.$/)
  expect(limit === null).toBe(defaults.limit === null)
  if (limit) expect(limit.label).toMatch(/^[A-Z]/)
  expect(advice.length).toBeGreaterThanOrEqual(2)
})

it('no other source file knows a rule', () => {
  // The other ids are also words of other vocabularies: a state, a note, a filter.
  const ids = ['store-down', 'two-stores', 'lease-used', 'renewed-long', 'contention', 'clock-offset']
  const named = SOURCES.filter(file => file !== 'shared/alert-rules.ts').flatMap(file =>
    ids.filter(id => textOf(file).includes(`'${id}'`)).map(id => `${file} names ${id}`),
  )
  expect(named).toEqual([])
})
