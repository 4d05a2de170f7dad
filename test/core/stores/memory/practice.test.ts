import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PipelineLock } from '../../../../electron/core/stores/memory/format/pipeline-lock.ts'
import { startPractice } from '../../../../electron/core/stores/memory/practice.ts'
import { MemoryServer } from '../../../../electron/core/stores/memory/server.ts'

const MINUTE = 60_000
const STUCK = ['acme1281:nightly_close', 'globex:invoice_export', 'initech:tps_reports']

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 12, 34, 56) }))
afterEach(() => void vi.useRealTimers())

function practice() {
  const server = new MemoryServer()
  startPractice(server)
  const locks = () => new Map(server.records as Map<string, PipelineLock>)
  const agesMs = () => [...locks().values()].map(lock => Date.now() - lock.locked_at * 1000)
  return { server, locks, agesMs }
}

it('looks like a busy system from the first moment', () => {
  const { locks, agesMs } = practice()
  expect(locks().size).toBe(20)
  expect(agesMs().filter(age => age > 60 * MINUTE)).toHaveLength(3)
  expect(agesMs().filter(age => age > 48 * MINUTE && age < 60 * MINUTE)).toHaveLength(2)
  expect(new Set([...locks().values()].map(lock => lock.locked_by)).size).toBeGreaterThan(4)
})

it('still does after hours, with its stuck locks untouched and no new ones', () => {
  const { locks, agesMs } = practice()
  const stuck = STUCK.map(key => locks().get(key))
  vi.advanceTimersByTime(3 * 60 * MINUTE)
  expect(STUCK.map(key => locks().get(key))).toEqual(stuck)
  expect(agesMs().filter(age => age > 60 * MINUTE)).toHaveLength(3)
  expect(agesMs().filter(age => age > 10 * MINUTE && age < 60 * MINUTE).length).toBeGreaterThanOrEqual(4)
})

it('extends the locks of a few runs, and acquires and releases others', () => {
  const { locks } = practice()
  const before = locks()
  vi.advanceTimersByTime(2 * MINUTE)
  const renewed = [...locks()].filter(
    ([key, { pipeline_logging_id: run, locked_at: at }]) =>
      before.get(key)?.pipeline_logging_id === run && before.get(key)?.locked_at !== at,
  )
  expect(renewed).toHaveLength(4)
  const others = [...locks()].filter(
    ([key, lock]) => before.get(key)?.pipeline_logging_id !== lock.pipeline_logging_id,
  )
  expect(others.length).toBeGreaterThan(0)
})

it('does not recreate a released stuck lock', () => {
  const { server, locks } = practice()
  for (const key of STUCK) server.records.delete(key)
  vi.advanceTimersByTime(10 * MINUTE)
  expect(STUCK.filter(key => locks().has(key))).toEqual([])
})
