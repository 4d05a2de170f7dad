import type { PlanEntry } from '../../../../shared/plans.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import type { Looked } from '../../stores/types.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** Ids a request. */
const LOOK_AT = 200

/** What is there now in the place of each, a few hundred at a time. A request that fails is the answer of all of its locks. */
export async function* lookAt(
  { store, signal }: Pick<OpenStore, 'store' | 'signal'>,
  entries: readonly PlanEntry[],
): AsyncGenerator<readonly (readonly [PlanEntry, Settled<Looked>])[]> {
  for (let start = 0; start < entries.length; start += LOOK_AT) {
    const some = entries.slice(start, start + LOOK_AT)
    const looked = await settle(() =>
      store.look(
        some.map(({ id }) => id),
        signal,
      ),
    )
    yield some.map((entry, i) => [entry, looked.ok ? (looked.value[i] as Settled<Looked>) : looked] as const)
  }
}
