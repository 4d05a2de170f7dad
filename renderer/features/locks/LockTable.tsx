import type { VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { shownColumns } from '../../state/columns.ts'
import { book } from '../../state/console.ts'
import { preferences, sortBy } from '../../state/preferences.ts'
import { activate, inspectRow, setPointing, table, toggleSelected } from '../../state/table.ts'
import { openDialog, overlay } from '../../state/view.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Grid } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ROW_HEIGHT_PX, useGrid } from '../../ui/use-grid.ts'
import { t } from '../../words/words.ts'
import { LOCK_GRID, LockRow } from './LockRow.tsx'
import styles from './LockTable.module.css'

export function LockTable() {
  const order = useStore(table, state => state.order)
  const active = useStore(table, state => state.active)
  const selected = useStore(table, state => state.selected)
  // Rows change without moving, too.
  useStore(table, state => state.revision)
  const { hiddenColumns: hidden, sort } = useStore(preferences)
  // A filter may have hidden the active row; hidden rows are not acted on.
  const shownActive = active !== null && order.includes(active) ? active : null
  const grid = useGrid({
    order,
    active,
    onMove: rowId => {
      if (overlay.getState().inspected) activate(rowId)
      else table.setState({ active: rowId })
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
  const columns = useMemo(() => shownColumns(hidden, grid.width), [hidden, grid.width])
  useScrollAnchor(grid.scroller, order)
  const rowAt = ({ index, start }: VirtualItem) => {
    const row = book.rows.get(order[index] ?? '')
    return (
      row && (
        <LockRow
          key={row.rowId}
          row={row}
          columns={columns}
          index={index}
          top={start}
          active={row.rowId === active}
          selected={selected.has(row.rowId)}
        />
      )
    )
  }
  return (
    <Grid
      id={LOCK_GRID}
      aria-label={t.table.name}
      aria-multiselectable="true"
      className={`${gridStyles.grid} ${styles.locks}`}
      grid={grid}
      columns={columns}
      sort={sort}
      titleOf={id => (
        <button type="button" className={styles.sort} onClick={() => sortBy(id)}>
          {t.table.columns[id]}
          {sort.column === id && <Icon name={sort.descending ? 'down' : 'up'} size={10} />}
        </button>
      )}
      rowAt={rowAt}
      onKeyDown={event => {
        grid.onKeyDown(event)
        if (event.defaultPrevented) setPointing(true)
      }}
      body={{ onPointerMove: () => setPointing(true), onPointerLeave: () => setPointing(false) }}
    />
  )
}

/** Keeps the rows in view in place when rows above them come and go. */
function useScrollAnchor(scroller: RefObject<HTMLDivElement | null>, order: readonly string[]): void {
  const requests = useStore(table, state => state.requests)
  const before = useRef({ order, requests })
  useLayoutEffect(() => {
    const element = scroller.current
    const was = before.current
    before.current = { order, requests }
    if (!element) return
    if (was.requests !== requests) element.scrollTop = 0
    if (element.scrollTop < ROW_HEIGHT_PX || was.order === order) return
    const top = Math.floor(element.scrollTop / ROW_HEIGHT_PX)
    const places = new Map(order.map((rowId, index) => [rowId, index]))
    // The first row in view that is still listed.
    const anchor = was.order.slice(top, top + 60).findIndex(rowId => places.has(rowId))
    const now = places.get(was.order[top + anchor] ?? '')
    if (anchor >= 0 && now !== undefined) element.scrollTop += (now - top - anchor) * ROW_HEIGHT_PX
  }, [scroller, order, requests])
}
