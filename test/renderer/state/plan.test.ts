import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PlanEvent, PlanSummary } from '../../../shared/plans.ts'
import type { Failure, Result } from '../../../shared/result.ts'
import { planEntry, planSummary } from '../a-plan.ts'

// What the modules touch of a page when they are loaded.
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })

type Opened = {
  planId: string
  onEvent: (event: PlanEvent) => void
  onEnd: (result: Result<null>) => void
  open: boolean
}
const streams: Opened[] = []
const calls: { method: string; input: unknown }[] = []
let answers: Record<string, (input: never) => unknown> = {}

const wire = {
  async call(method: string, input: never) {
    calls.push({ method, input })
    return answers[method]?.(input) ?? { ok: false, error: { code: 'NOT_FOUND', message: 'no' } }
  },
  open(_stream: string, { planId }: { planId: string }, onEvent: Opened['onEvent'], onEnd: Opened['onEnd']) {
    const stream: Opened = { planId, onEvent, onEnd, open: true }
    streams.push(stream)
    return () => {
      stream.open = false
    }
  },
}
vi.mock(import('../../../renderer/state/console.ts'), async original => ({
  ...(await original()),
  client: wire as never,
  ask: wire.call as never,
  askOrReport: (async (_what: string, method: string, input: never) => {
    const answer = (await wire.call(method, input)) as Result<unknown>
    return answer.ok ? answer.value : null
  }) as never,
}))

const { consoleStore } = await import('../../../renderer/state/console.ts')
const { overlay, closeDialog } = await import('../../../renderer/state/view.ts')
const { leavePlan, makePlan, openPlan, plans, exclude } = await import('../../../renderer/state/plan.ts')

const ok = (value: unknown) => ({ ok: true, value })
const LOST: Failure = { code: 'ABORTED', message: 'lost' }

beforeEach(() => {
  answers = { 'plans.list': () => ok([]) }
})
afterEach(() => {
  // A running plan is followed across connections, also into the next test.
  for (const [planId, book] of plans.getState().books)
    book.take(planSummary(1, { planId }, { state: 'done' }))
  leavePlan()
  plans.setState({ making: null, leftOut: new Map() })
  consoleStore.setState({ link: 'connecting' })
  streams.length = 0
  calls.length = 0
})

const running = (planId: string): PlanSummary => planSummary(1, { planId }, { state: 'running' })

test('closing the sheet drops an idle plan and keeps following a running one', () => {
  consoleStore.setState({ link: 'up' })
  openPlan(planSummary(1, { planId: 'looked-at' }))
  openPlan(running('runs'))
  leavePlan()
  expect(overlay.getState().dialog).toBeNull()
  expect([...plans.getState().books.keys()]).toEqual(['runs'])
  expect(streams.map(each => [each.planId, each.open])).toEqual([
    ['looked-at', false],
    ['runs', true],
  ])
})

test('a reloaded page finds running plans and opens none', async () => {
  answers = {
    'plans.list': () => ok([planSummary(1, { planId: 'old' }, { state: 'done' }), running('runs')]),
  }
  consoleStore.setState({ link: 'up' })
  await expect.poll(() => [...plans.getState().books.keys()]).toEqual(['runs'])
  expect(overlay.getState().dialog).toBeNull()
})

test('after a lost connection the open plan shows the loss, then is followed again', async () => {
  consoleStore.setState({ link: 'up' })
  openPlan(planSummary(1, { planId: 'p' }))
  const book = plans.getState().books.get('p')
  streams[0]?.onEnd({ ok: false, error: LOST })
  expect(book?.ended).toEqual(LOST)
  consoleStore.setState({ link: 'lost' })
  consoleStore.setState({ link: 'up' })
  await expect.poll(() => streams).toHaveLength(2)
  expect(book?.ended).toBeNull()
  streams[1]?.onEvent({ type: 'entries', entries: [planEntry(0)] })
  expect(book?.loaded).toBe(true)
})

test('a new plan is removed when its dialog was closed', async () => {
  let answer: (result: Result<PlanSummary>) => void = () => {}
  const made = makePlan('Release all', '…', () => new Promise(resolve => (answer = resolve)))
  expect(overlay.getState().dialog?.kind).toBe('making-plan')
  closeDialog()
  answer({ ok: true, value: planSummary(1, { planId: 'unwanted' }) })
  await made
  expect(overlay.getState().dialog).toBeNull()
  expect(calls).toEqual([{ method: 'plans.remove', input: { planId: 'unwanted' } }])
})

test('the waiting dialog shows why no plan was made', async () => {
  await makePlan('Release all', '…', async () => ({
    ok: false,
    error: { code: 'NOT_FOUND', message: 'none' },
  }))
  expect(plans.getState().making).toMatchObject({ failed: 'none' })
  expect(overlay.getState().dialog?.kind).toBe('making-plan')
})

test('a plan opened from a file is kept when its dialog was closed', async () => {
  const removed: unknown[] = []
  answers['plans.remove'] = (input: unknown) => {
    removed.push(input)
    return ok(null)
  }
  const leave = async () => {
    overlay.setState({ dialog: null })
    return { ok: true as const, value: planSummary(1) }
  }
  await makePlan('Open', '…', leave, { isNew: false })
  expect(removed).toEqual([])
  await makePlan('Release all', '…', leave)
  expect(removed).toEqual([{ planId: 'p1' }])
})

test('a plan remembers the stores that were left out', async () => {
  await makePlan('Release all', '…', async () => ({ ok: true, value: planSummary(1) }), {
    leftOut: ['billing'],
  })
  expect(plans.getState().leftOut.get('p1')).toEqual(['billing'])
  expect(overlay.getState().dialog).toEqual({ kind: 'plan', planId: 'p1' })
})

test('no lock is shown as excluded before core confirms it, and a refusal is shown', async () => {
  openPlan(planSummary(1))
  const book = plans.getState().books.get('p1')
  if (!book) throw new Error('not followed')
  book.apply({ type: 'entries', entries: [planEntry(0)] })
  const refused = await exclude(book, [{ by: 'lock', value: '0' }], true)
  expect([refused?.code, [...book.kept()].length]).toEqual(['NOT_FOUND', 1])
  answers['plans.exclude'] = ({ exclusions }: { exclusions: PlanSummary['exclusions'] }) =>
    ok(planSummary(1, { exclusions }))
  expect(await exclude(book, [{ by: 'lock', value: '0' }], true)).toBeNull()
  expect([...book.kept()]).toEqual([])
})

test('a large batch of exclusions is sent in several frames', async () => {
  openPlan(planSummary(1))
  const book = plans.getState().books.get('p1')
  if (!book) throw new Error('not followed')
  answers['plans.exclude'] = () => ok(planSummary(1))
  await exclude(
    book,
    Array.from({ length: 25_000 }, (_, n) => ({ by: 'lock' as const, value: String(n) })),
    true,
  )
  const sizes = calls.map(({ input }) => (input as { exclusions: unknown[] }).exclusions.length)
  expect(sizes).toEqual([10_000, 10_000, 5000])
})
