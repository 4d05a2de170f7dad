import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
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
import { ROW_HEIGHT_PX, useGrid } from '../../ui/use-grid.ts'
import { t } from '../../words/words.ts'
import { LockRow } from './LockRow.tsx'
import styles from './LockTable.module.css'
import { TableHead } from './TableHead.tsx'

/** Rows may move again this long after the last key or pointer movement. */
const STILL_MS = 5000
const NONE: readonly Alert[] = []

export function LockTable() {
  const order = useStore(table, state => state.order)
  const active = useStore(table, state => state.active)
  const selected = useStore(table, state => state.selected)
  // Rows change without moving, too.
  useStore(table, state => state.revision)
  const state = useStore(consoleStore)
  const hidden = useStore(preferences, each => each.hiddenColumns)
  const alerts = useStore(alertsStore, each => each.byRow)
  const holds = useStore(holdsStore, each => each.byRow)
  const stores = useMemo(() => new Map(state.entries.map(each => [each.storeId, each])), [state.entries])
  const point = usePointing()

  const activate = useCallback((rowId: string) => {
    table.setState({ active: rowId })
    inspectRow(rowId)
  }, [])

  // A filter may have hidden the active row; hidden rows are not acted on.
  const shownActive = active !== null && order.includes(active) ? active : null
  const { scroller, width, virtual, activeIndex, onKeyDown } = useGrid({
    order,
    active,
    onMove: rowId => {
      table.setState({ active: rowId })
      if (overlay.getState().inspected) inspectRow(rowId)
    },
    actions: {
      Enter: () => shownActive !== null && inspectRow(shownActive),
      ' ': () => shownActive !== null && toggleSelected(shownActive),
      Delete: () => {
        const row = shownActive === null ? undefined : book.rows.get(shownActive)
        if (row) openDialog({ kind: 'release', target: { storeId: row.storeId, id: row.lock.id } })
      },
    },
  })
  const columns = useMemo(() => shownColumns(hidden, width), [hidden, width])
  useScrollAnchor(scroller, order)

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
        onKeyDown(event)
        if (event.defaultPrevented) point()
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

/** Rows stay in place while the operator points at them with the mouse or the keys. */
function usePointing(): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    setPointing(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setPointing(false), STILL_MS)
  }, [])
}

/** Keeps the rows in view in place when rows above them come and go. */
function useScrollAnchor(scroller: React.RefObject<HTMLDivElement | null>, order: readonly string[]): void {
  const before = useRef<readonly string[]>(order)
  const requests = useStore(table, state => state.requests)
  const served = useRef(requests)
  useLayoutEffect(() => {
    const element = scroller.current
    const was = before.current
    before.current = order
    if (element && served.current !== requests) {
      served.current = requests
      element.scrollTop = 0
      return
    }
    if (!element || element.scrollTop < ROW_HEIGHT_PX || was === order) return
    const top = Math.floor(element.scrollTop / ROW_HEIGHT_PX)
    const places = new Map(order.map((rowId, index) => [rowId, index]))
    for (let index = top; index < Math.min(was.length, top + 60); index++) {
      const now = places.get(was[index] ?? '')
      if (now === undefined) continue
      if (now !== index) element.scrollTop += (now - index) * ROW_HEIGHT_PX
      return
    }
  }, [scroller, order, requests])
}
