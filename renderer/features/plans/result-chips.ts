import { RESULT_ORDER } from '../../../shared/plan-words.ts'
import { isUncertain, type PlanSummary } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { SHOW_ALL } from '../../state/plan-order.ts'
import { t } from '../../words/words.ts'
import type { ShowChip } from './ShowChips.tsx'

const TONES: Partial<Record<(typeof RESULT_ORDER)[number], NonNullable<ShowChip['tone']>>> = {
  released: 'live',
  restored: 'live',
  failed: 'danger',
  tried: 'warn',
}

/** What became of the locks, each kind a way to see them. */
export function resultChips(book: PlanBook, plan: PlanSummary): ShowChip[] {
  const { counts, total } = plan.progress
  const uncertain = [...book.results.values()].filter(isUncertain).length
  const excluded = plan.count - total
  return [
    { show: SHOW_ALL, label: t.plans.show.all(total) },
    ...RESULT_ORDER.filter(name => counts[name] > 0).map(name => ({
      show: { by: 'result', is: name } as const,
      label: t.result.chips(t.result.names[name], counts[name]),
      ...(TONES[name] ? { tone: TONES[name] } : {}),
    })),
    ...(book.returned.size > 0
      ? [
          {
            show: { by: 'returned' } as const,
            label: t.result.returnedChip(book.returned.size),
            tone: 'danger' as const,
          },
        ]
      : []),
    ...(uncertain > 0
      ? [
          {
            show: { by: 'uncertain' } as const,
            label: t.result.uncertainChip(uncertain),
            tone: 'warn' as const,
          },
        ]
      : []),
    ...(excluded > 0 ? [{ show: { by: 'excluded' } as const, label: t.result.excludedChip(excluded) }] : []),
  ]
}
