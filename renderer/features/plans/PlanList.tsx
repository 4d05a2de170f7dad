import { useEffect, useMemo, useRef, useState } from 'react'
import type { PlanChange } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import gridStyles from '../../ui/Grid.module.css'
import { useGrid } from '../../ui/use-grid.ts'
import { t } from '../../words/words.ts'
import { PlanRow } from './PlanRow.tsx'
import styles from './Plans.module.css'
import { planColumns } from './plan-columns.ts'
import { nowFace, resultFace } from './plan-face.ts'

type Props = {
  readonly book: PlanBook
  readonly order: readonly number[]
  readonly changes: ReadonlyMap<number, PlanChange> | null
  readonly mayExclude: boolean
  readonly onExclude: (n: number) => void
}

/** The locks of a plan, in one grid for its review and its results. */
export function PlanList({ book, order, changes, mayExclude, onExclude }: Props) {
  const grid = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'

  // Keys work at once, unless a field has the focus.
  useEffect(() => {
    if (mayExclude || document.activeElement === document.body) grid.current?.focus()
  }, [mayExclude])

  const excludeActive = () => {
    if (mayExclude && active !== null && order.includes(active)) onExclude(active)
  }
  const { scroller, width, virtual, activeIndex, onKeyDown } = useGrid({
    order,
    active,
    onMove: setActive,
    actions: { ' ': excludeActive, Delete: excludeActive },
  })
  const columns = useMemo(() => planColumns(width, applied || changes !== null), [width, applied, changes])

  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t.plans.list.label}
      aria-rowcount={order.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={activeIndex >= 0 ? `plan-row-${activeIndex}` : undefined}
      tabIndex={0}
      className={`${gridStyles.grid} ${styles.grid}`}
      style={{ '--columns': `22px ${columns.map(column => column.width).join(' ')}` } as React.CSSProperties}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={gridStyles.head}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
        <div role="row" aria-rowindex={1} className={`${gridStyles.row} ${gridStyles.heads}`}>
          {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
          <div role="columnheader" aria-colindex={1} className={`${gridStyles.cell} ${styles.mark}`}>
            <span className="visually-hidden">{t.plans.list.columns.mark}</span>
          </div>
          {columns.map(({ id }, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
            <div
              key={id}
              role="columnheader"
              aria-colindex={i + 2}
              className={gridStyles.cell}
              data-column={id}
            >
              {t.plans.list.columns[id === 'result' && !applied ? 'now' : id]}
            </div>
          ))}
        </div>
      </div>
      <div ref={scroller} className={gridStyles.body} role="rowgroup">
        <div className={gridStyles.space} role="presentation" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(item => {
            const entry = book.entries[order[item.index] ?? -1]
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
                index={item.index}
                top={item.start}
                active={item.index === activeIndex}
                excluded={book.isExcluded(entry)}
                mayExclude={mayExclude}
                icon={face?.icon ?? null}
                tone={face?.tone ?? null}
                text={face?.text ?? ''}
                onActivate={setActive}
                onExclude={onExclude}
              />
            )
          })}
        </div>
        {order.length === 0 && <p className={`${styles.none} muted`}>{t.plans.list.none}</p>}
      </div>
    </div>
  )
}
