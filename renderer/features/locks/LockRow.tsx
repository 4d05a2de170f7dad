import { memo } from 'react'
import { useStore } from 'zustand'
import type { Alert } from '../../../shared/alerts.ts'
import { usedFraction } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { alertsStore } from '../../state/alerts.ts'
import { useNow } from '../../state/clock.ts'
import type { Column, ColumnId } from '../../state/columns.ts'
import { consoleStore, statusOf, storeTime } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import type { Row } from '../../state/lock-book.ts'
import { activate, toggleSelected } from '../../state/table.ts'
import gridStyles from '../../ui/Grid.module.css'
import { GridRow } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { RowAlertMark } from '../alerts/AlertMarks.tsx'
import { HoldBadge } from '../holds/LockHold.tsx'
import { ProductionMark, StoreDot, StoreName } from '../stores/StoreName.tsx'
import { LeaseBar } from './LeaseBar.tsx'
import styles from './LockRow.module.css'
import { ageText, type Face, faceOf, remainingText } from './lock-face.ts'

export const LOCK_GRID = 'locks'

/** As long as the animations in LockRow.module.css. */
const NEWS_MS = 2500

type Props = {
  readonly row: Row
  readonly columns: readonly Column[]
  readonly index: number
  readonly top: number
  readonly active: boolean
  readonly selected: boolean
}

export const LockRow = memo(function LockRow({ row, columns, index, top, active, selected }: Props) {
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
      className={styles.row}
      data-tone={face.tone}
      data-stale={status.state !== 'live' || undefined}
      data-change={fresh ? (change ?? undefined) : undefined}
      cellOf={id => <Cell column={id} row={row} store={store} face={face} now={now} />}
      onClick={event => (event.metaKey || event.ctrlKey ? toggleSelected(rowId) : activate(rowId))}
    >
      {/* A new element per change restarts the animation; a new row would lose the click in progress. */}
      <span key={row.changedAt} className={styles.news} aria-hidden="true" />
      <span className={styles.mark} aria-hidden="true">
        {selected && <Icon name="check" />}
        {/* Without a column for the store, its color stands at the start of the row. */}
        {!selected && !columns.some(({ id }) => id === 'store') && <StoreMark store={store} />}
      </span>
    </GridRow>
  )
})

type CellProps = {
  readonly column: ColumnId
  readonly row: Row
  readonly store: StoreEntry | undefined
  readonly face: Face
  readonly now: number
}

function Cell({ column, row, store, face, now }: CellProps) {
  const { lock } = row
  const gone = row.change === 'gone'
  switch (column) {
    case 'state':
      return (
        <span className={gridStyles.state} data-tone={face.tone}>
          <Icon name={face.icon} /> {t.table.states[face.word]}
        </span>
      )
    case 'key':
      return <KeyCell row={row} />
    case 'holder':
      return <HolderCell lock={lock} />
    case 'store':
      return (
        <StoreName name={store?.name ?? ''} production={store?.production ?? false} colour={store?.colour} />
      )
    case 'format':
      return <FormatCell id={lock.format} />
    case 'age':
      return <span className="number">{ageText(lock, now)}</span>
    case 'remaining':
      return (
        <>
          <LeaseBar used={gone ? null : usedFraction(lock, now)} endless={lock.lease.kind === 'never'} />
          <span className="number">{remainingText(lock, now, gone)}</span>
        </>
      )
  }
}

const NO_ALERTS: readonly Alert[] = []

function KeyCell({ row: { rowId, lock } }: { readonly row: Row }) {
  const alerts = useStore(alertsStore, state => state.byRow.get(rowId))
  const hold = useStore(holdsStore, state => state.byRow.get(rowId))
  const text = shownText(lock.key)
  const name = shownText(lock.name)
  const around = name !== '' && text.endsWith(name) ? text.length - name.length : 0
  return (
    <span className={`mono ${styles.key}`} title={text}>
      <span className={`faint clip ${styles.around}`} data-long={around > 4 || undefined}>
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
  const first = lock.owner ?? label ?? t.table.noOwner
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
