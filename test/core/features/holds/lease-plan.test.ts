import { describe, expect, it } from 'vitest'
import type { HoldRecord } from '../../../../electron/core/features/holds/hold-record.ts'
import { firstLease, LEASE_MS, leasePlan } from '../../../../electron/core/features/holds/lease-plan.ts'

/** Simulates a hold, with every step of its lease plan on time. */
function livedThrough(forMs: number, mode: HoldRecord['mode'], stepMs: number) {
  let hold = { mode, until: forMs, leaseUntil: firstLease({ mode, forMs }) } as HoldRecord
  let renewals = 0
  let shortest = Number.POSITIVE_INFINITY
  let furthest = 0
  for (let now = 0; now < forMs; now += stepMs) {
    const { extendMs, nextAt } = leasePlan(hold, now)
    if (extendMs !== null) {
      hold = { ...hold, leaseUntil: now + extendMs }
      renewals++
    } else expect(nextAt).toBeGreaterThan(now)
    shortest = Math.min(shortest, hold.leaseUntil - now)
    furthest = Math.max(furthest, hold.leaseUntil - now)
  }
  return { renewals, shortest, furthest, leaseUntil: hold.leaseUntil }
}

describe('the lease of a hold', () => {
  it('is renewed three times per lease, never further ahead than one lease', () => {
    const { renewals, shortest, furthest, leaseUntil } = livedThrough(600_000, 'renewed', 1000)
    expect(furthest).toBeLessThanOrEqual(LEASE_MS)
    expect(shortest).toBeGreaterThan(0)
    expect(renewals).toBeGreaterThanOrEqual(600_000 / (LEASE_MS / 3) - 3)
    // We release it before its lease ends.
    expect(leaseUntil).toBeGreaterThan(600_000)
  })

  it('is renewed at once after the clock was set back, because the store keeps counting', () => {
    const begun = 10_000_000
    const hold = { mode: 'renewed', until: begun + 600_000, leaseUntil: begun + LEASE_MS } as HoldRecord
    expect(leasePlan(hold, begun - 3_600_000).extendMs).toBe(LEASE_MS)
    const last = { ...hold, until: begun + 50_000, leaseUntil: begun + 55_000 } as HoldRecord
    expect(leasePlan(last, begun - 30_000).extendMs).toBe(LEASE_MS)
  })

  it('outlasts a short hold without a renewal', () => {
    expect(livedThrough(10_000, 'renewed', 500)).toMatchObject({ renewals: 0, leaseUntil: 15_000 })
  })

  it('is the whole time at once in mode once, and follows an extension', () => {
    expect(livedThrough(600_000, 'once', 1000)).toMatchObject({ renewals: 0, leaseUntil: 600_000 })
    const extended = { mode: 'once', until: 900_000, leaseUntil: 600_000 } as HoldRecord
    expect(leasePlan(extended, 100_000).extendMs).toBe(800_000)
  })
})
