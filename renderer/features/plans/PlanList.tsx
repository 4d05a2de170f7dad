import type { VirtualItem } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { PlanChange } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { SHOW_ALL, type Show, sameShow } from '../../state/plan-order.ts'
import chipStyles from '../../ui/Chip.module.css'
import gridStyles from '../../ui/Grid.module.css'
import { GridBody } from '../../ui/GridBody.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { SearchBox } from '../../ui/SearchBox.tsx'
import { useGrid } from '../../ui/use-grid.ts'
import { t } from '../../words/words.ts'
import { PlanRow, planColumns } from './PlanRow.tsx'
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
      <Grid {...props} />
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

function Grid({ book, view, changes = null, onExclude }: Omit<Props, 'chips' | 'children'>) {
  const { order } = view
  const grid = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'

  // Keys work at once, unless a field has the focus.
  const mayExclude = onExclude !== undefined
  useEffect(() => {
    if (mayExclude || document.activeElement === document.body) grid.current?.focus()
  }, [mayExclude])

  const excludeActive = () => {
    if (active !== null && order.includes(active)) onExclude?.(active)
  }
  const { scroller, width, virtual, activeIndex, onKeyDown } = useGrid({
    order,
    active,
    onMove: setActive,
    actions: { ' ': excludeActive, Delete: excludeActive },
  })
  const columns = useMemo(() => planColumns(width, applied || changes !== null), [width, applied, changes])

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
        active={index === activeIndex}
        excluded={book.isExcluded(entry)}
        {...face}
        onActivate={setActive}
        onExclude={onExclude}
      />
    )
  }
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t.plans.list.label}
      aria-rowcount={order.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={activeIndex >= 0 ? `plan-row-${activeIndex}` : undefined}
      tabIndex={0}
      className={`${gridStyles.framed} ${styles.grid}`}
      style={{ '--columns': columns.map(column => column.width).join(' ') } as React.CSSProperties}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={gridStyles.head}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
        <div role="row" aria-rowindex={1} className={`${gridStyles.row} ${gridStyles.heads}`}>
          {columns.map(({ id }, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
            <div
              key={id}
              role="columnheader"
              aria-colindex={i + 1}
              className={gridStyles.cell}
              data-column={id}
            >
              <span className={id === 'mark' ? 'visually-hidden' : ''}>
                {t.plans.list.columns[id === 'result' && !applied ? 'now' : id]}
              </span>
            </div>
          ))}
        </div>
      </div>
      <GridBody ref={scroller} virtual={virtual} rowAt={rowAt}>
        {order.length === 0 && <p className={`${styles.none} muted`}>{t.plans.list.none}</p>}
      </GridBody>
    </div>
  )
}
