import type { VirtualItem } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { PlanChange } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { SHOW_ALL, type Show, sameShow } from '../../state/plan-order.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Chip } from '../../ui/Chip.tsx'
import { SearchBox } from '../../ui/Field.tsx'
import gridStyles from '../../ui/Grid.module.css'
import { Grid } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useGrid } from '../../ui/use-grid.ts'
import { t } from '../../words/words.ts'
import { PLAN_GRID, PlanRow, planColumns } from './PlanRow.tsx'
import styles from './Plans.module.css'
import type { ShowChip } from './plan-chips.ts'
import { nowFace, resultFace } from './plan-face.ts'
import type { PlanView } from './use-plan-view.ts'

type Props = {
  readonly book: PlanBook
  readonly view: PlanView
  readonly chips: readonly ShowChip[]
  readonly changes?: ReadonlyMap<number, PlanChange> | null
  /** Until the plan is applied. */
  readonly onExclude?: (n: number) => void
  /** Buttons beside the search. */
  readonly children?: ReactNode
}

/** The locks of a plan, with what selects the shown ones, for its review and its results. */
export function PlanList({ chips, children, ...props }: Props) {
  const { view } = props
  return (
    <>
      <div className={styles.tools}>
        <SearchBox
          label={t.plans.list.search}
          hint={t.plans.list.searchHint}
          value={view.search}
          onChange={view.setSearch}
        />
        {children}
      </div>
      <ShowChips chips={chips} show={view.show} onShow={view.setShow} />
      <PlanGrid {...props} />
    </>
  )
}

type ChipsProps = {
  readonly chips: readonly ShowChip[]
  readonly show: Show
  readonly onShow: (show: Show) => void
}

/** Selects the shown locks. Pressing the selected chip again shows all. */
function ShowChips({ chips, show, onShow }: ChipsProps) {
  return (
    <div className={chipStyles.chips} role="group" aria-label={t.plans.show.label}>
      {chips.map(chip => {
        const pressed = sameShow(chip.show, show)
        return (
          <Chip
            key={JSON.stringify(chip.show)}
            tone={chip.tone}
            aria-pressed={pressed}
            onClick={() => onShow(pressed ? SHOW_ALL : chip.show)}
          >
            {pressed && <Icon name="check" size={11} />} {chip.label}
          </Chip>
        )
      })}
    </div>
  )
}

function PlanGrid({ book, view, changes = null, onExclude }: Omit<Props, 'chips' | 'children'>) {
  const { order } = view
  const element = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'

  // Keys work at once, unless a field has the focus.
  const mayExclude = onExclude !== undefined
  useEffect(() => {
    if (mayExclude || document.activeElement === document.body) element.current?.focus()
  }, [mayExclude])

  const excludeActive = () => {
    if (active !== null && order.includes(active)) onExclude?.(active)
  }
  const grid = useGrid({
    order,
    active,
    onMove: setActive,
    actions: { ' ': excludeActive, Delete: excludeActive },
  })
  const columns = useMemo(
    () => planColumns(grid.width, applied || changes !== null),
    [grid.width, applied, changes],
  )
  const rowAt = ({ index, start }: VirtualItem) => {
    const entry = book.entries[order[index] ?? -1]
    if (!entry) return null
    const face = applied
      ? resultFace(book.results.get(entry.n), book.returned.has(entry.n))
      : changes && nowFace(changes.get(entry.n))
    return (
      <PlanRow
        key={entry.n}
        entry={entry}
        store={book.plan?.stores[entry.store]}
        columns={columns}
        index={index}
        top={start}
        active={entry.n === active}
        excluded={book.isExcluded(entry)}
        {...face}
        onActivate={setActive}
        onExclude={onExclude}
      />
    )
  }
  return (
    <Grid
      ref={element}
      id={PLAN_GRID}
      aria-label={t.plans.list.label}
      className={`${gridStyles.framed} ${styles.grid}`}
      grid={grid}
      columns={columns}
      titleOf={id => (
        <span className={id === 'mark' ? 'visually-hidden' : ''}>
          {t.plans.list.columns[id === 'result' && !applied ? 'now' : id]}
        </span>
      )}
      rowAt={rowAt}
    >
      {order.length === 0 && <p className={`${styles.none} muted`}>{t.plans.list.none}</p>}
    </Grid>
  )
}
