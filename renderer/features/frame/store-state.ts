import type { StoreEntry } from '../../../shared/stores.ts'
import type { StoreStatus } from '../../state/console.ts'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

export type Said = {
  readonly tone: 'live' | 'warn' | 'danger' | 'faint'
  readonly text: string
  readonly why: string | null
}

/** The state of a store in words. `now` is the local time. */
export function sayStore(entry: StoreEntry, status: StoreStatus, locks: number, now: number): Said {
  const words = t.status
  if (!entry.open) return { tone: 'faint', text: words.closed, why: null }
  if (entry.problem) return { tone: 'danger', text: words.downNow, why: sentence(entry.problem.message) }
  const why = status.error ? sentence(status.error.message) : null
  switch (status.state) {
    case 'connecting':
      return { tone: 'faint', text: words.connecting, why }
    case 'live':
      return { tone: 'live', text: words.live(locks), why: null }
    case 'stale':
      return { tone: 'warn', text: words.stale(t.clockTime(status.asOf ?? status.since)), why }
    case 'down': {
      const left = (status.retryAt ?? now) - now
      const state =
        status.error?.code === 'STORE_DENIED' ? words.denied : words.down(Math.max(0, now - status.since))
      return { tone: 'danger', text: `${state} · ${left > 0 ? words.retryIn(left) : words.retrying}`, why }
    }
  }
}
