import { describe, expect, it } from 'vitest'
import { reportText, type SwitchDocument } from '../../../../electron/core/features/switch/report.ts'
import type { SwitchRun } from '../../../../shared/switch.ts'
import { HOSTILE } from '../reports/hostile.ts'
import { MINUTE, SECOND, START, WatchedRun } from './watched-run.ts'

/** A switch in which everything has happened, with a text of somebody's in every place. */
function aDocument(text: string, more: Partial<SwitchRun> = {}): SwitchDocument {
  const run = new WatchedRun()
  run.old.sees('found', 'gps', { key: text, owner: text, name: text, endsAt: START + 20 * MINUTE })
  run.new.sees('found', 'gps', { key: text, owner: `${text}2`, name: text })
  run.goOn(SECOND)
  run.reach('verify')
  const { kept } = run
  const passed = kept.passed.map((each, i) => (i === 2 ? { ...each, checked: false, reason: text } : each))
  return {
    run: {
      ...kept,
      from: { ...kept.from, storeId: null, storeName: text },
      to: { ...kept.to, storeId: null, storeName: `new ${text}` },
      ...{ by: text, passed },
      envChanges: [{ file: text, copy: text, before: text, after: 'mysql', at: START, by: text }],
      planIds: ['p1'],
      strays: [{ key: text, holder: text, at: START + SECOND }],
      ...more,
    },
    now: run.told,
    plans: [],
    at: START + MINUTE,
    by: { user: text, host: text },
    version: '1.0',
  }
}

describe('the report of a switch', () => {
  it('says who did what and when, how each step was passed, and what remains', () => {
    const text = reportText(
      aDocument('orders', { ended: { at: START + MINUTE, by: 'ana', how: 'finished', reason: null } }),
      'md',
    )
    for (const told of [
      '# Locks from orders to new orders',
      '- State: finished 2027-01-15 08:01:00 by ana',
      '1 step was passed by hand, without the check.',
      '| Let the old locks end | 2027-01-15 08:00:01 | ana | by hand | orders | 0 | 0 |',
      '| 2027-01-15 08:00:00 | orders | `orders` | `orders` | `mysql` | `orders` |',
      'no longer kept',
      '| 2027-01-15 08:00:01 | `orders` | `orders` |',
      'The same job may have run twice at these times.',
      '1 lock is held, and 0 expired ones are still stored.',
      'ends in 19 min only',
      'Every lock is load on the main database.',
    ])
      expect(text).toContain(told)
  })

  it('opens with the evidence that a finished switch ignored, and omits evidence from before the restart', () => {
    const ended = { at: START + MINUTE, by: 'ana', how: 'finished' as const, reason: 'it is stopped' }
    const strays = [{ key: 'orders', holder: 'w1', at: START + 20 * SECOND }]
    const text = reportText(aDocument('orders', { ended, strays }), 'md')
    const notice =
      'This switch was finished although 1 lock was acquired in the old store and 1 name was held in both stores at once after the workers had been started again: a worker may still use the old provider.'
    expect(text.slice(0, text.indexOf('- From:'))).toContain(notice)
    expect(reportText(aDocument('orders', { strays }), 'md')).not.toContain('finished although')
    const before = aDocument('orders', {
      ended,
      strays: [{ ...strays[0], key: 'k', holder: null, at: START }],
    })
    const calm = { ...before, run: { ...before.run, splits: [] } }
    expect(reportText(calm, 'md')).not.toContain('finished although')
  })

  it('lists going back to a step between its two passes', () => {
    const before = aDocument('orders')
    const [last] = before.run.passed.slice(-1)
    if (!last) throw new Error('Nothing was passed')
    const wentBack = [{ step: last.step, at: last.at + SECOND, by: 'bo' }]
    const passed = [...before.run.passed, { ...last, at: last.at + 2 * SECOND }]
    const lines = reportText(aDocument('orders', { wentBack, passed }), 'md').split('\n')
    const at = lines.findIndex(line => line.includes('gone back to'))
    expect(lines[at]).toContain('| bo | gone back to |')
    const step = lines[at]?.split('|')[1]
    for (const place of [at - 1, at + 1])
      expect(lines[place]?.split('|')).toMatchObject({ 1: step, 4: ' its check was met ' })
  })

  it('says which quiet time applied when a step was passed, even if it changed since', () => {
    const { run } = aDocument('orders')
    const stop = { ...run.passed[0], step: 'stop' as const, at: START, by: 'ana', checked: true }
    const passed = [{ ...stop, reason: null, fromHeld: 0, toHeld: 0, quietMs: SECOND }]
    const text = reportText(aDocument('orders', { passed, quietMs: 900 * SECOND }), 'md')
    expect(text).toMatch(/Stop the workers \|.*its check was met: quiet for 1 s \|/)
  })

  it('distinguishes two stores of one name by their addresses', () => {
    const { run } = aDocument('orders')
    const text = reportText(aDocument('orders', { to: { ...run.to, storeName: run.from.storeName } }), 'md')
    expect(text.split('\n')[0]).toMatch(/^# Locks from redis.*old.* to mysql.*new/)
  })

  it('says that a switch is not finished, and its current step', () => {
    const text = reportText(aDocument('orders'), 'md')
    expect(text).toContain('This switch is not finished.')
    expect(text).toContain('open since 2027-01-15 08:00:01')
  })

  it('contains everything as JSON, with times in ISO 8601', () => {
    const json = JSON.parse(reportText(aDocument('orders'), 'json'))
    expect(json.switch).toMatchObject({ step: 'verify', begunAt: '2027-01-15T08:00:00.000Z' })
    expect(json.switch.strays).toEqual([{ key: 'orders', holder: 'orders', at: '2027-01-15T08:00:01.000Z' }])
    expect(json.now.checks.verify).toMatchObject({ is: 'not-yet' })
  })

  it.each(HOSTILE)('lets no hostile text become markup or control characters: %j', text => {
    const tags = (html: string) => html.match(/<[^>]*>/g)?.map(tag => tag.replace(/aria-label="[^"]*"/, ''))
    const [plain, hostile] = [aDocument('orders'), aDocument(text)]
    expect(tags(reportText(hostile, 'html'))).toEqual(tags(reportText(plain, 'html')))
    const markdown = reportText(hostile, 'md')
    expect(markdown.split('\n').length).toBe(reportText(plain, 'md').split('\n').length)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(markdown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(JSON.parse(reportText(hostile, 'json')).switch.strays[0].key).toBe(text)
  })
})
