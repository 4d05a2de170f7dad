import { expect, it } from 'vitest'
import { methods, streams } from '../../shared/contract.ts'
import { auditText } from '../core/features/audit/lines.ts'
import { openConsole, profile } from '../core/features/console.ts'
import { Random } from '../random.ts'

const SEED = 20_261_119
const FRAMES = 6000

const METHODS = Object.entries(methods)
  .filter(([, { effect }]) => effect === 'read')
  .map(([name]) => name)
const STREAMS = Object.keys(streams)

const ODD: readonly unknown[] = [
  ...[null, undefined, true, -1, 0.5, Number.NaN, 2 ** 53, '', 'x', '__proto__', 'constructor', [], [[]], {}],
  ...['../../etc/passwd', '\u0000', '\ud800', '$(id)', 'redis://h/0', { $ne: null }, { toString: 1 }],
]

/** A frame as a screen could send it, with some of it replaced. */
function mutated(random: Random, storeId: string, i: number): unknown {
  const input = { storeId, id: 'a', fence: 'f', key: 'a', planId: 'p', from: 0, to: 1, as: 'json' }
  const frame: Record<string, unknown> = random.pick([
    { type: 'call', id: i, method: random.pick(METHODS), input },
    { type: 'open', id: i, stream: random.pick(STREAMS), input: { storeId } },
    { type: 'close', id: random.below(i + 1) },
    { type: 'ack', id: random.below(i + 1), seq: random.below(9) },
  ])
  for (const place of [frame, frame['input'] as Record<string, unknown>].filter(Boolean)) {
    const name = random.pick([...Object.keys(place), 'surprise', '__proto__'])
    const value = random.pick(ODD)
    if (random.below(3) === 0) delete place[name]
    else Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return random.below(20) === 0 ? random.pick(ODD) : frame
}

it('thousands of mutated frames change nothing, and every answer has a code of ours', async () => {
  const { ask, wire, sent, folder } = openConsole()
  const { storeId } = await ask('stores.add', { profile: profile() })
  const before = auditText(folder)
  const stores = await ask('stats.read', {})
  const random = new Random(SEED)
  for (let i = 1000; i < 1000 + FRAMES; i++) {
    wire.receive(mutated(random, storeId, i))
    wire.receive({ type: 'close', id: i })
    if (i % 100 === 0) await ask('formats.list', {})
  }
  // Nothing that came through broke what comes after.
  expect((await ask('stats.read', {})).stores).toHaveLength(stores.stores.length)
  const failures = sent.flatMap(frame =>
    frame.type !== 'event' && !frame.result.ok ? [frame.result.error] : [],
  )
  expect(failures.length).toBeGreaterThan(FRAMES / 20)
  expect(failures.filter(({ code }) => code === 'INTERNAL')).toEqual([])
  expect(auditText(folder)).toBe(before)
  expect(({} as Record<string, unknown>)['surprise']).toBeUndefined()
})
