import { describe, expect, it } from 'vitest'
import { AlertNews } from '../../electron/shell/alert-news.ts'
import { type Alert, type AlertRule, type AlertsEvent, RULES } from '../../shared/alerts.ts'
import { countedGroups } from '../shared/counted-groups.ts'

const MINUTE = 60_000

function alert(id: string, more: Partial<Alert> = {}): Alert {
  const rule: AlertRule = more.rule ?? 'expired'
  return {
    alertId: id,
    rule,
    severity: RULES[rule].severity,
    storeId: 's',
    storeName: 'recharges',
    address: 'memory:recharges',
    lockId: id,
    key: id,
    holder: null,
    since: 0,
    until: null,
    count: 1,
    value: null,
    limit: null,
    detail: null,
    acknowledged: null,
    muteId: null,
    ...more,
  }
}

function event(alerts: Alert[], more: Partial<AlertsEvent> = {}): AlertsEvent {
  const open = alerts.filter(({ until }) => until === null).length
  return {
    ...{ alerts, open, unacknowledged: open, groups: countedGroups(alerts), mutes: [], problem: null },
    ...{ book: { all: {}, stores: {}, notify: true }, ...more },
  }
}

const SEEN = { by: 'ana', at: 0, reason: 'known' }

const counts = (open: number, unacknowledged: number) => ({
  groups: [{ rule: 'expired' as const, address: 'memory:recharges', open, unacknowledged }],
})

const bodies = (news: AlertNews, what: AlertsEvent, now: number) =>
  news.next(what, now).notices.map(({ body }) => body)

describe('the desktop is told', () => {
  it('of many alerts in one sentence, and of each once', () => {
    const news = new AlertNews()
    const many = event(Array.from({ length: 14 }, (_, i) => alert(`lock-${i}`)))
    expect(news.next(many, 0)).toEqual({
      notices: [
        {
          title: 'Past its expiry',
          body: '14 locks in recharges are past their expiry and still stored.',
        },
      ],
      againInMs: null,
    })
    for (const now of [1, MINUTE, 10 * MINUTE]) expect(bodies(news, many, now)).toEqual([])
  })

  it('about one rule in one store once a minute at most, and then of what came meanwhile', () => {
    const news = new AlertNews()
    bodies(news, event([alert('a')]), 0)
    const two = event([alert('b'), alert('a')])
    expect(news.next(two, 20_000)).toEqual({ notices: [], againInMs: 40_000 })
    expect(bodies(news, two, MINUTE)).toEqual([
      '2 locks in recharges are past their expiry and still stored.',
    ])
    const elsewhere = alert('c', { address: 'memory:other', storeName: 'other' })
    expect(bodies(news, event([elsewhere, alert('a')]), MINUTE + 1)).toEqual([
      '1 lock in other is past its expiry and still stored.',
    ])
  })

  it('not again of an alert that flaps, but of one that begins after a long pause', () => {
    const news = new AlertNews()
    bodies(news, event([alert('a')]), 0)
    for (let count = 2; count < 10; count++) {
      expect(bodies(news, event([alert('a', { until: 1 })]), count * MINUTE)).toEqual([])
      expect(bodies(news, event([alert('a', { count })]), count * MINUTE + 1)).toEqual([])
    }
    expect(bodies(news, event([alert('a', { since: 500_000 })]), 60 * MINUTE)).toHaveLength(1)
  })

  it('not of what is acknowledged, muted, over, or merely worth knowing', () => {
    const quiet = [
      alert('a', { acknowledged: SEEN }),
      alert('b', { muteId: 'm' }),
      alert('c', { until: 5 }),
      alert('d', { rule: 'clock-offset' }),
    ]
    expect(bodies(new AlertNews(), event(quiet), 0)).toEqual([])
  })

  it('nothing when it is not allowed to, and not later of what was there then', () => {
    const news = new AlertNews()
    const book = { all: {}, stores: {}, notify: false }
    expect(bodies(news, event([alert('a')], { book }), 0)).toEqual([])
    expect(bodies(news, event([alert('a')]), 2 * MINUTE)).toEqual([])
  })

  it('of a flood by its number, and not anew when a part of it is acknowledged', () => {
    const news = new AlertNews()
    const listed = (from: number) => Array.from({ length: 100 }, (_, i) => alert(`lock-${from + i}`))
    expect(bodies(news, event(listed(0), counts(10_000, 10_000)), 0)).toEqual([
      '10,000 locks in recharges are past their expiry and still stored.',
    ])
    expect(bodies(news, event(listed(100), counts(10_000, 9900)), 2 * MINUTE)).toEqual([])
    expect(bodies(news, event(listed(200), counts(10_001, 9901)), 4 * MINUTE)).toEqual([
      '9,901 locks in recharges are past their expiry and still stored.',
    ])
    // The last of them have been told by their number, though never by their ids.
    expect(bodies(news, event(listed(9800), counts(10_001, 100)), 6 * MINUTE)).toEqual([])
  })

  it('of one that is new beside thousands that somebody knows, by its own number', () => {
    const news = new AlertNews()
    const known = Array.from({ length: 99 }, (_, i) => alert(`known-${i}`, { acknowledged: SEEN }))
    const beside = (id: string) => event([alert(id), ...known], counts(5001, 1))
    const one = ['1 lock in recharges is past its expiry and still stored.']
    expect(bodies(news, event(known, counts(5000, 0)), 0)).toEqual([])
    expect(bodies(news, beside('new-1'), MINUTE)).toEqual(one)
    expect(bodies(news, beside('new-1'), 3 * MINUTE)).toEqual([])
    expect(bodies(news, beside('new-2'), 5 * MINUTE)).toEqual(one)
  })

  it('in one piece when a console that was just opened finds a lot', () => {
    const rules: AlertRule[] = ['expired', 'no-expiry', 'held-long', 'contention', 'store-down']
    const { notices } = new AlertNews().next(event(rules.map(rule => alert(rule, { rule }))), 0)
    expect(notices).toHaveLength(1)
    expect(notices[0]?.body.split('\n')).toHaveLength(4)
    expect(notices[0]?.body).toContain('And 2 things more.')
  })

  it('once of a name that is held in two stores, though it is found in both', () => {
    const both = ['one', 'two'].map(name =>
      alert(name, { rule: 'two-stores', storeName: name, address: `memory:${name}` }),
    )
    expect(bodies(new AlertNews(), event(both), 0)).toEqual([
      '1 lock in one is held by another holder in another store at the same time.',
    ])
  })

  it('in plain text, and with no word of what is locked', () => {
    const hostile = alert('secret-job', { storeName: '<a href="x">&\u001b[2J' })
    const [body] = bodies(new AlertNews(), event([hostile]), 0)
    expect(body).not.toMatch(/[<>&]|secret-job/)
    expect(body).not.toContain('\u001b')
  })
})
