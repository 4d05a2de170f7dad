import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mute } from '../../../../shared/alerts.ts'
import { AlertTest, HOUR, START } from './an-alert-test.ts'

export const FILE = 'alerts.json'

export function mute(more: Partial<Mute> = {}): Mute {
  const anything = { rule: null, address: null, lockId: null }
  return { muteId: 'm-1', ...anything, reason: 'known', by: 'ana', at: START, until: null, ...more }
}

export function known(lockId: string) {
  const address = 'memory:recharges'
  return { rule: 'expired' as const, address, lockId, by: 'ana', at: START, reason: 'ticket 4711' }
}

export function kept(folder: string) {
  return JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
}

/** Two locks that are past their expiry. */
export async function stuck(folder?: string) {
  const test = await AlertTest.begin(folder)
  const store = test.store()
  for (const id of ['a', 'b']) store.hold(id, { endsAt: START - HOUR })
  store.pass()
  return { test, store }
}
