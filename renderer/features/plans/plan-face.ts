import type { LockState } from '../../../shared/locks.ts'
import { isUncertain, type PlanChange, type PlanResult, type ResultName } from '../../../shared/plans.ts'
import type { Now } from '../../state/plan-book.ts'
import type { IconName } from '../../ui/Icon.tsx'
import { sentence, shownText, t } from '../../words/words.ts'

type Look = {
  readonly icon: IconName
  readonly tone: 'danger' | 'warn' | 'live' | 'calm' | 'faint'
}
export type PlanFace = Look & { readonly text: string }

const UNCERTAIN: Look = { icon: 'question', tone: 'warn' }
const UNTOUCHED: Look = { icon: 'dash', tone: 'calm' }
const DONE: Look = { icon: 'check', tone: 'live' }

const STATES: Record<LockState, Look> = {
  expired: { icon: 'alert', tone: 'danger' },
  expiring: { icon: 'half', tone: 'warn' },
  held: { icon: 'ring', tone: 'calm' },
  released: { icon: 'dash', tone: 'faint' },
  unknown: { icon: 'question', tone: 'faint' },
}

/** The state a lock was in when the plan was made. */
export function stateFace(state: LockState): PlanFace {
  return { ...STATES[state], text: t.table.states[state] }
}

const RESULTS: Record<ResultName, Look> = {
  released: DONE,
  restored: DONE,
  changed: UNTOUCHED,
  taken: UNTOUCHED,
  gone: UNTOUCHED,
  ended: UNTOUCHED,
  failed: { icon: 'cross', tone: 'danger' },
  tried: UNCERTAIN,
  pending: { icon: 'dash', tone: 'faint' },
}

/** The result of a lock. Without one, it was not attempted. */
export function resultFace(result: PlanResult | undefined, returned: boolean): PlanFace {
  const words = t.result
  if (returned) return { icon: 'again', tone: 'danger', text: words.cameBack }
  const { is = 'pending' } = result ?? {}
  const look = isUncertain(result) ? UNCERTAIN : RESULTS[is]
  switch (result?.is) {
    case 'changed':
    case 'taken':
      return { ...look, text: words[result.is](owner(result.owner)) }
    case 'failed':
      return {
        ...look,
        text: words[result.error.uncertain ? 'uncertain' : 'failed'](sentence(result.error.message)),
      }
    case 'gone':
      return { ...look, text: result.perhapsOurs ? words.gonePerhapsOurs : words.names.gone }
    default:
      return { ...look, text: words.names[is] }
  }
}

const NOW: Record<Now, Look> = {
  same: { icon: 'check', tone: 'faint' },
  renewed: { icon: 'again', tone: 'warn' },
  changed: { icon: 'cross', tone: 'calm' },
  gone: UNTOUCHED,
  unread: UNCERTAIN,
}

/** How a lock has changed since the plan was made. */
export function nowFace(change: PlanChange | undefined): PlanFace {
  const words = t.plans.compare.now
  const now: Now = change?.now ?? 'same'
  return { ...NOW[now], text: now === 'changed' ? words.changed(owner(change?.owner ?? null)) : words[now] }
}

function owner(name: string | null): string | null {
  return name === null ? null : shownText(name, 80)
}
