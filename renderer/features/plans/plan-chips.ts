import { isUncertain, type PlanSummary, RESULTS, type ResultName } from '../../../shared/plans.ts'
import type { ConsoleState } from '../../state/console.ts'
import { type Now, type PlanBook, SHOW_ALL, type Show } from '../../state/plan-book.ts'
import { t } from '../../words/words.ts'
import { groupName } from './PlanGroups.tsx'
import type { Compared } from './use-plan-view.ts'

/** A filter for the locks of a plan. */
export type ShowChip = {
  readonly show: Show
  readonly label: string
  readonly tone?: 'danger' | 'warn' | 'live' | undefined
}

const NOWS: readonly Now[] = ['same', 'renewed', 'changed', 'gone', 'unread']

export function reviewChips(
  book: PlanBook,
  plan: PlanSummary,
  compared: Compared,
  show: Show,
  formats: ConsoleState['formats'],
): ShowChip[] {
  const words = t.plans.show
  const excluded = book.entries.length - plan.progress.total
  const { same = 0, changes = [] } = compared.answer ?? {}
  const chips: ShowChip[] = [{ show: SHOW_ALL, label: words.all(book.entries.length) }]
  if (excluded > 0) chips.push({ show: { by: 'excluded' }, label: words.excluded(excluded) })
  for (const now of NOWS) {
    const count = now === 'same' ? same : changes.filter(change => change.now === now).length
    const tone = now === 'renewed' || now === 'unread' ? 'warn' : undefined
    if (count > 0) chips.push({ show: { by: 'now', now }, label: words[now](count), tone })
  }
  if (show.by === 'group')
    chips.push({ show, label: words.group(groupName(show.group, show.value, plan, formats)) })
  return chips
}

const TONES: Partial<Record<ResultName, ShowChip['tone']>> = {
  released: 'live',
  restored: 'live',
  failed: 'danger',
  tried: 'warn',
}

export function resultChips(book: PlanBook, plan: PlanSummary): ShowChip[] {
  const words = t.result
  const { counts, total } = plan.progress
  const uncertain = [...book.results.values()].filter(isUncertain).length
  const excluded = plan.count - total
  const chips: ShowChip[] = [{ show: SHOW_ALL, label: t.plans.show.all(total) }]
  for (const is of RESULTS)
    if (counts[is] > 0)
      chips.push({
        show: { by: 'result', is },
        label: words.chips(words.names[is], counts[is]),
        tone: TONES[is],
      })
  const { size } = book.returned
  if (size > 0) chips.push({ show: { by: 'returned' }, label: words.returnedChip(size), tone: 'danger' })
  if (uncertain > 0)
    chips.push({ show: { by: 'uncertain' }, label: words.uncertainChip(uncertain), tone: 'warn' })
  if (excluded > 0) chips.push({ show: { by: 'excluded' }, label: words.excludedChip(excluded) })
  return chips
}
