import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Alert } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { shownColumns } from '../../state/columns.ts'
import { book, consoleStore, isBehind, statusOf } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import { inspect, openDialog, overlay } from '../../state/overlay.ts'
import { preferences } from '../../state/preferences.ts'
import { setPointing, table, toggleSelected } from '../../state/table.ts'
import gridStyles from '../../ui/Grid.module.css'
import { t } from '../../words/words.ts'
import { LockRow } from './LockRow.tsx'
import styles from './LockTable.module.css'
import { TableHead } from './TableHead.tsx'

export const ROW_HEIGHT = 26
/** So long after the last sign of the operator, rows may move again. */
const STILL_MS = 5000
const NONE: readonly Alert[] = []

export function LockTable() {
  const order = useStore(table, state => state.order)
  const active = useStore(table, state => state.active)
  const selected = useStore(table, state => state.selected)
  // Rows that stay where they are change too.
  useStore(table, state => state.revision)
  const state = useStore(consoleStore)
  const hidden = useStore(preferences, each => each.hiddenColumns)
  const alerts = useStore(alertsStore, each => each.byRow)
  const holds = useStore(holdsStore, each => each.byRow)
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1000)
  const columns = useMemo(() => shownColumns(hidden, width), [hidden, width])
  const stores = useMemo(() => new Map(state.entries.map(each => [each.storeId, each])), [state.entries])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const activeIndex = active === null ? -1 : order.indexOf(active)
  const shownActive = activeIndex < 0 ? null : active
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: index => order[index] ?? index,
    overscan: 6,
    paddingEnd: 4,
    // The active row stays in the page when it is scrolled out of sight: the grid names it as the one that has the focus.
    rangeExtractor: range => {
      const inView = defaultRangeExtractor(range)
      if (activeIndex < 0 || inView.includes(activeIndex)) return inView
      return activeIndex < range.startIndex ? [activeIndex, ...inView] : [...inView, activeIndex]
    },
  })
  useScrollAnchor(scroller, order)
  const point = usePointing()

  const activate = useCallback((rowId: string) => {
    table.setState({ active: rowId })
    inspectRow(rowId)
  }, [])

  const goTo = (index: number) => {
    const rowId = order[Math.max(0, Math.min(order.length - 1, index))]
    if (rowId === undefined) return
    table.setState({ active: rowId })
    virtual.scrollToIndex(order.indexOf(rowId))
    if (overlay.getState().inspected) inspectRow(rowId)
  }

  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 500) / ROW_HEIGHT) - 1)
  const keys: Record<string, () => void> = {
    ArrowDown: () => goTo(activeIndex + 1),
    ArrowUp: () => goTo(activeIndex < 0 ? 0 : activeIndex - 1),
    PageDown: () => goTo(activeIndex + page),
    PageUp: () => goTo(activeIndex - page),
    Home: () => goTo(0),
    End: () => goTo(order.length - 1),
    // Only what is on the screen is acted on: a filter may have hidden the active row.
    Enter: () => shownActive !== null && inspectRow(shownActive),
    ' ': () => shownActive !== null && toggleSelected(shownActive),
    Delete: () => {
      const row = shownActive === null ? undefined : book.rows.get(shownActive)
      if (row) openDialog({ kind: 'release', target: { storeId: row.storeId, id: row.lock.id } })
    },
  }

  const marksStore = !columns.some(column => column.id === 'store')
  const template = `20px ${columns.map(column => column.width).join(' ')}`
  return (
    <div
      role="grid"
      aria-label={t.table.name}
      aria-rowcount={order.length + 1}
      aria-colcount={columns.length}
      aria-multiselectable="true"
      aria-activedescendant={activeIndex >= 0 ? `lock-row-${activeIndex}` : undefined}
      tabIndex={0}
      className={`${gridStyles.grid} ${styles.locks}`}
      id="locks"
      style={{ '--columns': template } as React.CSSProperties}
      onKeyDown={event => {
        if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
        const run = keys[event.key]
        // With Shift it is about all that are shown, wherever the focus is.
        if (!run || (event.key === 'Delete' && event.shiftKey)) return
        event.preventDefault()
        point()
        run()
      }}
    >
      <TableHead columns={columns} />
      <div
        ref={scroller}
        className={gridStyles.body}
        role="rowgroup"
        onPointerMove={point}
        onPointerLeave={() => setPointing(false)}
      >
        <div className={gridStyles.space} role="presentation" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(item => {
            const row = book.rows.get(order[item.index] ?? '')
            if (!row) return null
            const status = statusOf(state, row.storeId)
            return (
              <LockRow
                key={row.rowId}
                row={row}
                store={stores.get(row.storeId)}
                offsetMs={status.offsetMs}
                stale={status.state !== 'live'}
                readAt={isBehind(status) ? status.asOf : null}
                columns={columns}
                marksStore={marksStore}
                formatTitle={state.formats.get(row.lock.format)?.title ?? row.lock.format}
                alerts={alerts.get(row.rowId) ?? NONE}
                hold={holds.get(row.rowId)}
                index={item.index}
                top={item.start}
                active={row.rowId === active}
                selected={selected.has(row.rowId)}
                onActivate={activate}
                onSelect={toggleSelected}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

export function inspectRow(rowId: string): void {
  const row = book.rows.get(rowId)
  if (row) inspect({ storeId: row.storeId, id: row.lock.id })
}

/** Rows hold still while the operator points at them with the mouse or the keys. */
function usePointing(): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    setPointing(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setPointing(false), STILL_MS)
  }, [])
}

/** When rows come and go above what is being read, what is being read stays where it is. */
function useScrollAnchor(scroller: React.RefObject<HTMLDivElement | null>, order: readonly string[]): void {
  const before = useRef<readonly string[]>(order)
  const asked = useStore(table, state => state.asked)
  const answered = useRef(asked)
  useLayoutEffect(() => {
    const element = scroller.current
    const was = before.current
    before.current = order
    if (element && answered.current !== asked) {
      answered.current = asked
      element.scrollTop = 0
      return
    }
    if (!element || element.scrollTop < ROW_HEIGHT || was === order) return
    const top = Math.floor(element.scrollTop / ROW_HEIGHT)
    const there = new Map(order.map((rowId, index) => [rowId, index]))
    for (let index = top; index < Math.min(was.length, top + 60); index++) {
      const now = there.get(was[index] ?? '')
      if (now === undefined) continue
      if (now !== index) element.scrollTop += (now - index) * ROW_HEIGHT
      return
    }
  }, [scroller, order, asked])
}
