import { memo } from 'react'
import type { Alert } from '../../../shared/alerts.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import { usedFraction } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { useNow } from '../../state/clock.ts'
import type { Column, ColumnId } from '../../state/columns.ts'
import type { Row } from '../../state/lock-book.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { RowAlertMark } from '../alerts/AlertMarks.tsx'
import { HoldBadge } from '../holds/LockHold.tsx'
import { ProductionMark, StoreDot, StoreName } from '../stores/StoreName.tsx'
import { LeaseBar } from './LeaseBar.tsx'
import styles from './LockRow.module.css'
import { ageText, faceOf, remainingText } from './lock-face.ts'

/** As long as the animations in LockRow.module.css. */
const NEWS_MS = 2500

type Props = {
  readonly row: Row
  readonly store: StoreEntry | undefined
  readonly offsetMs: number
  readonly stale: boolean
  /** When the store was last read, while it is not live. */
  readonly readAt: number | null
  readonly columns: readonly Column[]
  /** Without a column for the store, its colour stands at the start of the row. */
  readonly marksStore: boolean
  readonly formatTitle: string
  readonly alerts: readonly Alert[]
  readonly hold: MaintenanceHold | undefined
  readonly index: number
  readonly top: number
  readonly active: boolean
  readonly selected: boolean
  readonly onActivate: (rowId: string) => void
  readonly onSelect: (rowId: string) => void
}

export const LockRow = memo(function LockRow(props: Props) {
  const { row, offsetMs, index, active, selected } = props
  const localNow = useNow()
  const clock = localNow + offsetMs
  // Time stops at the last read of a store that is not live.
  const now = props.readAt === null ? clock : Math.min(clock, props.readAt)
  const gone = row.change === 'gone'
  // A row that scrolls into view long after its change is not news.
  const fresh = gone || localNow - row.changedAt < NEWS_MS
  const face = faceOf(row.lock, now, gone)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
    <div
      id={`lock-row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      className={`${gridStyles.row} ${styles.row}`}
      data-tone={face.tone}
      data-active={active || undefined}
      data-stale={props.stale || undefined}
      data-change={fresh ? (row.change ?? undefined) : undefined}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={event =>
        event.metaKey || event.ctrlKey ? props.onSelect(row.rowId) : props.onActivate(row.rowId)
      }
    >
      {/* A new element per change restarts the animation; a new row would lose the click in progress. */}
      <span key={row.changedAt} className={styles.news} aria-hidden="true" />
      <span className={styles.mark} aria-hidden="true">
        {selected ? <Icon name="check" /> : props.marksStore && <StoreMark store={props.store} />}
      </span>
      {props.columns.map((column, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
        <div
          key={column.id}
          role="gridcell"
          aria-colindex={i + 1}
          className={gridStyles.cell}
          data-column={column.id}
        >
          <Cell column={column.id} {...props} now={now} gone={gone} />
        </div>
      ))}
    </div>
  )
})

function Cell({
  column,
  row: { lock },
  store,
  alerts,
  hold,
  formatTitle,
  now,
  gone,
}: Props & { readonly column: ColumnId; readonly now: number; readonly gone: boolean }) {
  switch (column) {
    case 'state': {
      const face = faceOf(lock, now, gone)
      return (
        <span className={gridStyles.state} data-tone={face.tone}>
          <Icon name={face.icon} /> {t.table.states[face.word]}
        </span>
      )
    }
    case 'key': {
      const text = shownText(lock.key)
      const name = shownText(lock.name)
      const around =
        name !== '' && text.length > name.length && text.endsWith(name) ? text.length - name.length : 0
      return (
        <span className={`mono ${styles.key}`} title={text}>
          <span className={`faint clip ${styles.around}`} data-long={around > 4 || undefined}>
            {text.slice(0, around)}
          </span>
          <span className="clip">{text.slice(around)}</span>
          <HoldBadge hold={hold} owner={lock.owner} />
          <RowAlertMark alerts={alerts} />
        </span>
      )
    }
    case 'holder':
      return <HolderCell lock={lock} />
    case 'store':
      return (
        <StoreName name={store?.name ?? ''} production={store?.production ?? false} colour={store?.colour} />
      )
    case 'format':
      return <span className="clip muted">{formatTitle}</span>
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
