import { describe, expect, test } from 'vitest'
import { only } from '../../../electron/core/lib/concurrency.ts'
import { StoreError } from '../../../electron/core/lib/errors.ts'
import { makeFence } from '../../../electron/core/stores/fence.ts'
import {
  type Act,
  type CurrentRecord,
  type ReleaseSteps,
  releaseFenced as releaseMany,
} from '../../../electron/core/stores/fenced-release.ts'
import type { PendingRelease } from '../../../electron/core/stores/types.ts'
import type { Lock } from '../../../shared/locks.ts'
import { aLock } from '../../shared/a-lock.ts'

type Read = CurrentRecord<string> | null | Error
const NOT_SAME: Act = { outcome: 'not-same' }
const never = new AbortController().signal

const seenOf = (owner: string, endsAt?: number) =>
  endsAt === undefined ? { exact: [owner] } : { exact: [owner], endsAt }
const fenceOf = (owner: string, endsAt?: number) => makeFence('token', 'orders', seenOf(owner, endsAt))

function held(owner: string, state: Lock['state'] = 'held', endsAt?: number): CurrentRecord<string> {
  const lock = aLock({ owner, state, fence: fenceOf(owner, endsAt) })
  return { lock, seen: seenOf(owner, endsAt), raw: `bytes of ${owner}` }
}
const noLock: CurrentRecord<string> = { lock: null }

type OneByOne = Pick<ReturnType<typeof store>, 'read' | 'act'>

/** One release, of a store that reads one record at a time. */
async function releaseFenced({ read, act }: OneByOne, fence: string, signal: AbortSignal) {
  const steps: ReleaseSteps<string> = {
    width: 1,
    read: async () => [{ ok: true, value: await read() }],
    act,
    copy: () => null,
  }
  return only(await releaseMany(steps, [{ id: 'orders', fence }], async () => {}, signal))
}

/** A store that answers these reads in turn, and this to the one act; it writes down what was asked of it. */
function store(reads: Read[], act: Act | Error = { outcome: 'released', notified: null }) {
  const asked: string[] = []
  const acts: unknown[][] = []
  return {
    asked,
    acts,
    async read() {
      asked.push('read')
      const next = reads.shift()
      if (next === undefined) throw new Error('read once too often')
      if (next instanceof Error) throw next
      return next
    },
    async act(...args: unknown[]) {
      asked.push('act')
      acts.push(args)
      if (act instanceof Error) throw act
      return act
    },
  }
}

test('releases the lock that was seen, with the exact bytes that were just read', async () => {
  const steps = store([held('a')], { outcome: 'released', notified: 3 })
  expect(await releaseFenced(steps, fenceOf('a'), never)).toEqual({ outcome: 'released', notified: 3 })
  expect(steps.asked).toEqual(['read', 'act'])
  expect(steps.acts).toEqual([['bytes of a', expect.objectContaining({ owner: 'a' }), undefined]])
})

test('gives the store the deadline that the operator saw, not the present one', async () => {
  const steps = store([held('a', 'held', 9001)])
  await releaseFenced(steps, fenceOf('a', 9000), never)
  expect(steps.acts[0]?.[2]).toBe(9000)
})

test.each<[string, Read]>([
  ['is not there', null],
  ['is the record of a lock that is free', held('a', 'released')],
])('reports gone and does nothing when the lock %s', async (_, read) => {
  const steps = store([read])
  expect(await releaseFenced(steps, fenceOf('a'), never)).toEqual({ outcome: 'gone' })
  expect(steps.asked).toEqual(['read'])
})

test.each([
  ['somebody else holds it', fenceOf('a'), held('b')],
  ['its deadline is later than was seen', fenceOf('a', 5000), held('a', 'held', 9000)],
  ['the fence is of another lock', makeFence('token', 'invoices', seenOf('b')), held('b')],
  ['the fence is of another format', makeFence('redisson', 'orders', seenOf('b')), held('b')],
  ['the fence is nonsense', 'nonsense', held('b')],
])('reports changed and does nothing when %s', async (_, fence, current) => {
  const steps = store([current])
  expect(await releaseFenced(steps, fence, never)).toEqual({ outcome: 'changed', current: current.lock })
  expect(steps.asked).toEqual(['read'])
})

test('an expired lock that is still stored can be released', async () => {
  const steps = store([held('a', 'expired')])
  expect(await releaseFenced(steps, fenceOf('a'), never)).toMatchObject({ outcome: 'released' })
})

test('reports a record that is not a lock as changed, not gone: the name is not free', async () => {
  const steps = store([noLock])
  expect(await releaseFenced(steps, fenceOf('a'), never)).toEqual({ outcome: 'changed', current: null })
  expect(steps.asked).toEqual(['read'])
})

test.each<[string, Read, object]>([
  ['gone', null, { outcome: 'gone' }],
  ['free', held('a', 'released'), { outcome: 'gone' }],
  ['held by another', held('b'), { outcome: 'changed', current: held('b').lock }],
  ['no lock any more', noLock, { outcome: 'changed', current: null }],
  ['not readable', new StoreError('STORE_UNREACHABLE', 'no answer'), { outcome: 'changed', current: null }],
])(
  'when the store refuses at the last moment and the record is then %s, says so and does not try again',
  async (_, after, outcome) => {
    const steps = store([held('a'), after], NOT_SAME)
    expect(await releaseFenced(steps, fenceOf('a'), never)).toEqual(outcome)
    expect(steps.asked).toEqual(['read', 'act', 'read'])
  },
)

test('a failing second read does not hide that nothing was changed', async () => {
  const steps = store([held('a')], NOT_SAME)
  let reads = 0
  const read = () => {
    if (++reads === 2) throw new Error('not even a promise')
    return steps.read()
  }
  expect(await releaseFenced({ ...steps, read }, fenceOf('a'), never)).toEqual({
    outcome: 'changed',
    current: null,
  })
})

test('throws a failing first read, and does nothing', async () => {
  const failure = new StoreError('STORE_UNREACHABLE', 'no answer')
  const steps = store([failure])
  await expect(releaseFenced(steps, fenceOf('a'), never)).rejects.toBe(failure)
  expect(steps.asked).toEqual(['read'])
})

test('does nothing when stopped after reading', async () => {
  const stop = new AbortController()
  const steps = store([held('a')])
  const read = () => {
    stop.abort()
    return steps.read()
  }
  await expect(releaseFenced({ ...steps, read }, fenceOf('a'), stop.signal)).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect(steps.asked).toEqual(['read'])
})

test('a lost answer is never retried: the first attempt may have worked', async () => {
  const lost = new StoreError('STORE_UNREACHABLE', 'the connection broke')
  const steps = store([held('a'), null], lost)
  await expect(releaseFenced(steps, fenceOf('a'), never)).rejects.toBe(lost)
  expect(steps.asked).toEqual(['read', 'act'])
})

describe('many at once', () => {
  const targets = ['a', 'b', 'c', 'd'].map(owner => ({ id: owner, fence: fenceOf(owner) }))
  const lost = new StoreError('STORE_UNREACHABLE', 'the connection broke')

  function many(over: Partial<ReleaseSteps<string>> = {}) {
    const log: string[] = []
    const steps: ReleaseSteps<string> = {
      width: 2,
      read: async ids => {
        log.push(`read ${ids.join('')}`)
        return ids.map(id => ({ ok: true, value: id === 'c' ? null : held(id) }))
      },
      act: async raw => {
        log.push(`act ${raw.at(-1)}`)
        if (raw.endsWith('b')) throw lost
        return { outcome: 'released', notified: null }
      },
      copy: (_, lock) => ({ id: lock.id, format: lock.format, fence: lock.fence, endsAt: null, data: null }),
      ...over,
    }
    return { log, steps }
  }

  test('each has its own result, in the requested order, from one read', async () => {
    const { log, steps } = many()
    expect(await releaseMany(steps, targets, async () => {}, never)).toEqual([
      { ok: true, value: { outcome: 'released', notified: null } },
      { ok: false, error: lost },
      { ok: true, value: { outcome: 'gone' } },
      { ok: true, value: { outcome: 'released', notified: null } },
    ])
    expect(log).toEqual(['read abcd', 'act a', 'act b', 'act d'])
  })

  test('exactly the pending releases are recorded before the first act', async () => {
    const { log, steps } = many()
    const keep = async (about: readonly PendingRelease[]) => {
      log.push(`keep ${about.map(each => `${each.place}${each.lock.owner}${each.copy ? '+' : '-'}`)}`)
    }
    await releaseMany(steps, targets, keep, never)
    expect(log).toEqual(['read abcd', 'keep 0a+,1b+,3d+', 'act a', 'act b', 'act d'])
  })

  test('without a record nothing is released, and absent locks are still reported as gone', async () => {
    const { log, steps } = many()
    const full = new StoreError('AUDIT_FAILED', 'the disk is full')
    const answers = await releaseMany(steps, targets, () => Promise.reject(full), never)
    expect(answers.map(each => (each.ok ? each.value.outcome : each.error))).toEqual([
      full,
      full,
      'gone',
      full,
    ])
    expect(log).toEqual(['read abcd'])
  })

  test('stopping half-way keeps the known results', async () => {
    const stop = new AbortController()
    const { steps } = many({
      width: 1,
      act: async raw => {
        if (raw.endsWith('a')) stop.abort()
        return { outcome: 'released', notified: null }
      },
    })
    const answers = await releaseMany(steps, targets, async () => {}, stop.signal)
    expect(answers.map(each => (each.ok ? each.value.outcome : each.error.code))).toEqual([
      'released',
      'ABORTED',
      'gone',
      'ABORTED',
    ])
  })

  test('only a release refused at the last moment is read again', async () => {
    let refused = false
    const { log, steps } = many()
    const act: ReleaseSteps<string>['act'] = async (raw, lock, endsAt) => {
      if (raw.endsWith('d') && !refused) {
        refused = true
        return NOT_SAME
      }
      return steps.act(raw, lock, endsAt)
    }
    const answers = await releaseMany({ ...steps, act }, targets, async () => {}, never)
    expect(answers.map(each => each.ok && each.value.outcome)).toEqual([
      'released',
      false,
      'gone',
      'released',
    ])
    expect(log).toEqual(['read abcd', 'act a', 'act b', 'read d', 'act d'])
  })
})
