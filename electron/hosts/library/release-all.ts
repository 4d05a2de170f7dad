import { type StoreAddress, showAddress } from '../../../shared/address.ts'
import { createClient } from '../../../shared/client.ts'
import { followPlan, type PlanState } from '../../../shared/plan-state.ts'
import { confirmationsOf, type PlanResult, type PlanSummary } from '../../../shared/plans.ts'
import type { Result } from '../../../shared/result.ts'
import { createCore } from '../../core/compose.ts'
import { openSession } from '../../core/dispatch.ts'
import { undoWindowMs, dataFolder as usualFolder } from '../../core/files/data-folder.ts'
import { StoreError } from '../../core/lib/errors.ts'
import type { ReleaseAllOptions, ReleasedAll } from '../../core/locks/types.ts'

type Outcome = ReleasedAll['results'][number]

/** The worst first: the outcome for a lock that several masters have. */
const WORST: readonly Outcome['outcome'][] = ['failed', 'changed', 'left', 'released', 'gone']

/** Releases by a plan, as the console does: fenced, audited before and after, and undoable from its data folder. */
export async function releaseEverything(
  addresses: readonly StoreAddress[],
  nameOf: (key: string) => string,
  { reason, confirm = [], dataFolder = usualFolder(process.env) }: ReleaseAllOptions,
): Promise<ReleasedAll> {
  const core = createCore({ dataFolder, undoWindowMs: undoWindowMs(process.env) })
  const client = createClient(frame => session.receive(frame))
  const session = openSession(core, frame => client.receive(frame))
  try {
    const storeIds: string[] = []
    for (const address of addresses) {
      const password = address.password ?? undefined
      const opened = await client.call('stores.open', { address: showAddress(address), password })
      storeIds.push(value(opened).storeId)
    }
    const plan = value(await client.call('plans.create', { storeIds, filter: '' }))
    const unread = plan.stores.flatMap(store => store.unread)
    checkNames(plan, [confirm].flat())
    const counts = value(await followPlan(client, plan.planId)).countsByStore()
    const confirmed = confirmationsOf(plan, counts)
    value(await client.call('plans.apply', { planId: plan.planId, confirm: confirmed, reason }))
    const end = value(await followPlan(client, plan.planId, state => state.isOver))
    const results = byName(end, nameOf)
    const released = results.filter(({ outcome }) => outcome === 'released').length
    return { released, planId: plan.planId, unread, results }
  } finally {
    session.close()
    await core.close()
  }
}

/** The program that calls this confirms the number of locks, whatever it is, but not that they are in production. */
function checkNames({ stores }: PlanSummary, confirmed: readonly string[]): void {
  const missing = stores.filter(({ production, name }) => production && !confirmed.includes(name))
  const names = [...new Set(missing.map(({ name }) => JSON.stringify(name)))].join(', ')
  if (missing.length > 0)
    throw new StoreError(
      'REFUSED',
      `The store is in production, and its name was not confirmed: nothing was changed. Pass { confirm: [${names}] } to release its locks`,
    )
}

function byName({ entries, results }: PlanState, nameOf: (key: string) => string): Outcome[] {
  const found = new Map<string, Outcome>()
  for (const entry of entries) {
    const key = nameOf(entry.key)
    const next: Outcome = { key, ...sayResult(results.get(entry.n)) }
    const known = found.get(key)
    if (!known || WORST.indexOf(next.outcome) < WORST.indexOf(known.outcome)) found.set(key, next)
  }
  return [...found.values()]
}

const OUTCOMES: Partial<Record<PlanResult['is'], Omit<Outcome, 'key'>>> = {
  released: { outcome: 'released', message: null },
  changed: {
    outcome: 'changed',
    message: 'The lock has another holder now, or was renewed since; it was not touched',
  },
  gone: { outcome: 'gone', message: null },
  tried: { outcome: 'failed', message: 'The release was sent, and its outcome is unknown' },
}

function sayResult(result: PlanResult | undefined): Omit<Outcome, 'key'> {
  if (result?.is === 'failed') return { outcome: 'failed', message: result.error.message }
  const outcome = result && OUTCOMES[result.is]
  return outcome ?? { outcome: 'left', message: 'The release was not attempted' }
}

function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const { code, message, uncertain } = result.error
  throw new StoreError(code, message, { uncertain: uncertain === true })
}
