import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { PlanChange } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import gridStyles from '../../ui/Grid.module.css'
import { t } from '../../words/words.ts'
import { PlanRow } from './PlanRow.tsx'
import { planColumns } from './plan-columns.ts'
import { nowFace, resultFace } from './plan-face.ts'

const ROW_HEIGHT = 26

type Props = {
  readonly book: PlanBook
  readonly order: readonly number[]
  readonly changes: ReadonlyMap<number, PlanChange> | null
  readonly mayExclude: boolean
  readonly onExclude: (n: number) => void
}

/** The locks of a plan, in one grid for looking it over and for what became of them. */
export function PlanList({ book, order, changes, mayExclude, onExclude }: Props) {
  const grid = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(800)
  const [active, setActive] = useState<number | null>(null)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'
  const columns = useMemo(() => planColumns(width, applied || changes !== null), [width, applied, changes])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // Keys work at once, unless somebody is busy in a field when the list is drawn anew.
  useEffect(() => {
    if (mayExclude || document.activeElement === document.body) grid.current?.focus()
  }, [mayExclude])

  const activeIndex = active === null ? -1 : order.indexOf(active)
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: index => order[index] ?? index,
    overscan: 6,
    paddingEnd: 4,
    rangeExtractor: range => {
      const inView = defaultRangeExtractor(range)
      if (activeIndex < 0 || inView.includes(activeIndex)) return inView
      return activeIndex < range.startIndex ? [activeIndex, ...inView] : [...inView, activeIndex]
    },
  })

  const goTo = (index: number) => {
    const to = Math.max(0, Math.min(order.length - 1, index))
    const n = order[to]
    if (n === undefined) return
    setActive(n)
    virtual.scrollToIndex(to)
  }
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_HEIGHT) - 1)
  const excludeActive = () => {
    if (mayExclude && activeIndex >= 0 && active !== null) onExclude(active)
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => goTo(activeIndex + 1),
    ArrowUp: () => goTo(activeIndex < 0 ? 0 : activeIndex - 1),
    PageDown: () => goTo(activeIndex + page),
    PageUp: () => goTo(activeIndex - page),
    Home: () => goTo(0),
    End: () => goTo(order.length - 1),
    ' ': excludeActive,
    Delete: excludeActive,
  }
  const activate = useCallback((n: number) => setActive(n), [])

  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t.plans.list.label}
      aria-rowcount={order.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={activeIndex >= 0 ? `plan-row-${activeIndex}` : undefined}
      tabIndex={0}
      className={`${gridStyles.grid} plan-grid`}
      style={{ '--columns': `22px ${columns.map(column => column.width).join(' ')}` } as React.CSSProperties}
      onKeyDown={event => {
        if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
        const run = keys[event.key]
        if (!run || event.shiftKey) return
        event.preventDefault()
        run()
      }}
    >
      <div role="rowgroup" className={gridStyles.head}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
        <div role="row" aria-rowindex={1} className={`${gridStyles.row} ${gridStyles.heads}`}>
          {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
          <div role="columnheader" aria-colindex={1} className={`${gridStyles.cell} cell-mark`}>
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
                onActivate={activate}
                onExclude={onExclude}
              />
            )
          })}
        </div>
        {order.length === 0 && <p className="plan-none muted">{t.plans.list.none}</p>}
      </div>
    </div>
  )
}
