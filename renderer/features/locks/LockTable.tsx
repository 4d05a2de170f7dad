import type { VirtualItem } from '@tanstack/react-virtual'
import { memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import type { Alert } from '../../../shared/alerts.ts'
import { usedFraction } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { alertsStore } from '../../state/alerts.ts'
import { useNow } from '../../state/clock.ts'
import { type ColumnId, shownColumns } from '../../state/columns.ts'
import { book, consoleStore, statusOf, storeTime } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import type { Row } from '../../state/lock-book.ts'
import { preferences, sortBy } from '../../state/preferences.ts'
import { activate, inspectRow, setPointing, table, toggleSelected } from '../../state/table.ts'
import { openDialog, overlay } from '../../state/view.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Grid, GridRow, type RowPlace } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ROW_HEIGHT_PX, useGrid } from '../../ui/use-grid.ts'
import { shownText, t } from '../../words/words.ts'
import { RowAlertMark } from '../alerts/AlertMarks.tsx'
import { HoldBadge } from '../holds/HoldCard.tsx'
import { ProductionMark, StoreDot, StoreName } from '../stores/StoreName.tsx'
import { LeaseBar } from './LeaseBar.tsx'
import rowStyles from './LockRow.module.css'
import styles from './LockTable.module.css'
import { ageText, type Face, faceOf, remainingText } from './lock-face.ts'

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

const LOCK_GRID = 'locks'

/** As long as the animations in LockRow.module.css. */
const NEWS_MS = 2500

type Props = RowPlace<ColumnId> & { readonly row: Row; readonly selected: boolean }

const LockRow = memo(function LockRow({ row, columns, index, top, active, selected }: Props) {
  const { rowId, storeId, lock, change } = row
  const store = useStore(consoleStore, state => state.entries.find(each => each.storeId === storeId))
  const status = useStore(consoleStore, state => statusOf(state, storeId))
  const localNow = useNow()
  const now = storeTime(status, localNow)
  const gone = change === 'gone'
  // A row that scrolls into view long after its change is not news.
  const fresh = gone || localNow - row.changedAt < NEWS_MS
  const face = faceOf(lock, now, gone)
  return (
    <GridRow
      gridId={LOCK_GRID}
      columns={columns}
      index={index}
      top={top}
      active={active}
      aria-selected={selected}
      className={rowStyles.row}
      data-tone={face.tone}
      data-stale={status.state !== 'live' || undefined}
      data-change={fresh ? (change ?? undefined) : undefined}
      cellOf={id => CELLS[id]({ row, store, face, now })}
      onClick={event => (event.metaKey || event.ctrlKey ? toggleSelected(rowId) : activate(rowId))}
    >
      {/* A new element per change restarts the animation; a new row would lose the click in progress. */}
      <span key={row.changedAt} className={rowStyles.news} aria-hidden="true" />
      <span className={rowStyles.mark} aria-hidden="true">
        {selected && <Icon name="check" />}
        {/* Without a column for the store, its color stands at the start of the row. */}
        {!selected && !columns.some(({ id }) => id === 'store') && <StoreMark store={store} />}
      </span>
    </GridRow>
  )
})

type CellProps = {
  readonly row: Row
  readonly store: StoreEntry | undefined
  readonly face: Face
  readonly now: number
}

const CELLS: Record<ColumnId, (props: CellProps) => ReactNode> = {
  state: ({ face }) => (
    <span className={gridStyles.state} data-tone={face.tone}>
      <Icon name={face.icon} /> {t.table.states[face.word]}
    </span>
  ),
  key: ({ row }) => <KeyCell row={row} />,
  holder: ({ row }) => <HolderCell lock={row.lock} />,
  store: ({ store }) => (
    <StoreName name={store?.name ?? ''} production={store?.production ?? false} colour={store?.colour} />
  ),
  format: ({ row }) => <FormatCell id={row.lock.format} />,
  age: ({ row, now }) => <span className="number">{ageText(row.lock, now)}</span>,
  remaining: ({ row: { lock, change }, now }) => {
    const gone = change === 'gone'
    return (
      <>
        <LeaseBar used={gone ? null : usedFraction(lock, now)} endless={lock.lease.kind === 'never'} />
        <span className="number">{remainingText(lock, now, gone)}</span>
      </>
    )
  },
}

const NO_ALERTS: readonly Alert[] = []

function KeyCell({ row: { rowId, lock } }: { readonly row: Row }) {
  const alerts = useStore(alertsStore, state => state.byRow.get(rowId))
  const hold = useStore(holdsStore, state => state.byRow.get(rowId))
  const text = shownText(lock.key)
  const name = shownText(lock.name)
  const around = name !== '' && text.endsWith(name) ? text.length - name.length : 0
  return (
    <span className={`mono ${rowStyles.key}`} title={text}>
      <span className={`faint clip ${rowStyles.around}`} data-long={around > 4 || undefined}>
        {text.slice(0, around)}
      </span>
      <span className="clip">{text.slice(around)}</span>
      <HoldBadge hold={hold} owner={lock.owner} />
      <RowAlertMark alerts={alerts ?? NO_ALERTS} />
    </span>
  )
}

function FormatCell({ id }: { readonly id: string }) {
  const title = useStore(consoleStore, state => state.formats.get(id)?.title)
  return <span className="clip muted">{title ?? id}</span>
}

function StoreMark({ store }: { readonly store: StoreEntry | undefined }) {
  return store?.production ? (
    <ProductionMark title={store.name} />
  ) : (
    <StoreDot colour={store?.colour} title={store?.name} />
  )
}

function HolderCell({ lock }: { readonly lock: Row['lock'] }) {
  const label = lock.holder?.label
  const first = lock.owner ?? label ?? t.noHolder
  const second = lock.owner !== null && label !== undefined && label !== lock.owner ? label : null
  return (
    <span className="clip" title={shownText(holderText(lock))}>
      <span className={lock.owner === null && label === undefined ? 'muted' : ''}>
        {shownText(first, 120)}
      </span>
      {second !== null && <span className="faint"> {shownText(second, 60)}</span>}
    </span>
  )
}
