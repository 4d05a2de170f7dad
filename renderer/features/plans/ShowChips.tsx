import { SHOW_ALL, type Show, sameShow } from '../../state/plan-order.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'
import type { ShowChip } from './plan-chips.ts'

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
