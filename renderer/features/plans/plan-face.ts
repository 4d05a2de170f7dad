import type { LockState } from '../../../shared/locks.ts'
import type { PlanChange, PlanResult } from '../../../shared/plans.ts'
import type { Now } from '../../state/plan-order.ts'
import type { IconName } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

export type PlanFace = {
  readonly icon: IconName
  readonly tone: 'danger' | 'warn' | 'live' | 'calm' | 'faint'
  readonly text: string
}

/** The state a lock was in when the plan was made. */
export function stateFace(state: LockState): PlanFace {
  const text = t.table.states[state]
  switch (state) {
    case 'expired':
      return { icon: 'alert', tone: 'danger', text }
    case 'expiring':
      return { icon: 'half', tone: 'warn', text }
    case 'held':
      return { icon: 'ring', tone: 'calm', text }
    case 'released':
      return { icon: 'dash', tone: 'faint', text }
    case 'unknown':
      return { icon: 'question', tone: 'faint', text }
  }
}

/** The result of a lock. Without one, it was not attempted. */
export function resultFace(result: PlanResult | undefined, returned: boolean): PlanFace {
  const words = t.result
  if (returned) return { icon: 'again', tone: 'danger', text: words.cameBack }
  switch (result?.is) {
    case undefined:
      return { icon: 'dash', tone: 'faint', text: words.names.pending }
    case 'released':
    case 'restored':
      return { icon: 'check', tone: 'live', text: words.names[result.is] }
    case 'changed':
      return { icon: 'dash', tone: 'calm', text: words.changed(owner(result.owner)) }
    case 'taken':
      return { icon: 'dash', tone: 'calm', text: words.taken(owner(result.owner)) }
    case 'gone':
      return result.perhapsOurs
        ? { icon: 'question', tone: 'warn', text: words.gonePerhapsOurs }
        : { icon: 'dash', tone: 'calm', text: words.names.gone }
    case 'ended':
      return { icon: 'dash', tone: 'calm', text: words.names.ended }
    case 'tried':
      return { icon: 'question', tone: 'warn', text: words.names.tried }
    case 'failed': {
      const why = sentence(result.error.message)
      return result.error.uncertain
        ? { icon: 'question', tone: 'warn', text: words.uncertain(why) }
        : { icon: 'cross', tone: 'danger', text: words.failed(why) }
    }
  }
}

/** How a lock has changed since the plan was made. */
export function nowFace(change: PlanChange | undefined): PlanFace {
  const words = t.plans.compare.now
  const now: Now = change?.now ?? 'same'
  switch (now) {
    case 'same':
      return { icon: 'check', tone: 'faint', text: words.same }
    case 'renewed':
      return { icon: 'again', tone: 'warn', text: words.renewed }
    case 'changed':
      return { icon: 'cross', tone: 'calm', text: words.changed(owner(change?.owner ?? null)) }
    case 'gone':
      return { icon: 'dash', tone: 'calm', text: words.gone }
    case 'unread':
      return { icon: 'question', tone: 'warn', text: words.unread }
  }
}

function owner(name: string | null): string | null {
  return name === null ? null : shownText(name, 80)
}
