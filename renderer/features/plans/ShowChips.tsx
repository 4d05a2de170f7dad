import { isUncertain, type PlanSummary, RESULTS } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { SHOW_ALL, type Show, sameShow } from '../../state/plan-order.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'

export type ShowChip = {
  readonly show: Show
  readonly label: string
  readonly tone?: 'danger' | 'warn' | 'live' | undefined
}

type Props = {
  readonly chips: readonly ShowChip[]
  readonly show: Show
  readonly onShow: (show: Show) => void
}

/** Selects the shown locks. Pressing the selected chip again shows all. */
export function ShowChips({ chips, show, onShow }: Props) {
  return (
    <div className={chipStyles.chips} role="group" aria-label={t.plans.show.label}>
      {chips.map(chip => {
        const pressed = sameShow(chip.show, show)
        return (
          <button
            key={JSON.stringify(chip.show)}
            type="button"
            className={chipStyles.chip}
            data-tone={chip.tone}
            aria-pressed={pressed}
            onClick={() => onShow(pressed ? SHOW_ALL : chip.show)}
          >
            {pressed && <Icon name="check" size={11} />} {chip.label}
          </button>
        )
      })}
    </div>
  )
}

const TONES: Partial<Record<(typeof RESULTS)[number], NonNullable<ShowChip['tone']>>> = {
  released: 'live',
  restored: 'live',
  failed: 'danger',
  tried: 'warn',
}

/** One chip per result. */
export function resultChips(book: PlanBook, plan: PlanSummary): ShowChip[] {
  const { counts, total } = plan.progress
  const uncertain = [...book.results.values()].filter(isUncertain).length
  const excluded = plan.count - total
  const chips: ShowChip[] = [
    { show: SHOW_ALL, label: t.plans.show.all(total) },
    ...RESULTS.filter(name => counts[name] > 0).map(name => ({
      show: { by: 'result', is: name } as const,
      label: t.result.chips(t.result.names[name], counts[name]),
      tone: TONES[name],
    })),
  ]
  const { size } = book.returned
  if (size > 0) chips.push({ show: { by: 'returned' }, label: t.result.returnedChip(size), tone: 'danger' })
  if (uncertain > 0)
    chips.push({ show: { by: 'uncertain' }, label: t.result.uncertainChip(uncertain), tone: 'warn' })
  if (excluded > 0) chips.push({ show: { by: 'excluded' }, label: t.result.excludedChip(excluded) })
  return chips
}
