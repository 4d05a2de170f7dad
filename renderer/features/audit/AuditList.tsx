import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { AuditRow } from '../../../shared/audit.ts'
import { safeJson } from '../../../shared/safe-text.ts'
import { consoleStore } from '../../state/console.ts'
import gridStyles from '../../ui/Grid.module.css'
import { GridBody, GridHead } from '../../ui/Grid.tsx'
import { Statements } from '../../ui/Statements.tsx'
import { ROW_HEIGHT_PX } from '../../ui/use-grid.ts'
import { shownText, t } from '../../words/words.ts'
import styles from './Audit.module.css'

/** Older entries are loaded this many rows before the end. */
const ROWS_AHEAD = 20
const MAX_JSON_LENGTH = 20_000

const COLUMNS = (['at', 'who', 'what', 'store', 'key', 'outcome', 'reason'] as const).map(id => ({ id }))

type Props = { readonly rows: readonly AuditRow[]; readonly onEnd: () => void }

export function AuditList({ rows, onEnd }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: index => rows[index]?.place ?? index,
    overscan: 8,
  })
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - ROWS_AHEAD) onEnd()
  }, [last, rows.length, onEnd])

  const toggle = (place: string) => {
    const next = new Set(open)
    if (!next.delete(place)) next.add(place)
    setOpen(next)
  }
  const rowAt = ({ key, index, start }: VirtualItem) => {
    const row = rows[index]
    return (
      row && (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          role="presentation"
          className={styles.entry}
          style={{ transform: `translateY(${start}px)` }}
        >
          <Entry row={row} index={index} open={open.has(row.place)} onToggle={() => toggle(row.place)} />
        </div>
      )
    )
  }
  return (
    <div
      role="table"
      aria-label={t.audit.list}
      aria-rowcount={rows.length + 1}
      className={`${gridStyles.framed} ${styles.list}`}
    >
      <GridHead columns={COLUMNS} titleOf={id => t.audit.columns[id]} />
      {/* It scrolls, so it must be focusable. */}
      <GridBody ref={scroller} virtual={virtual} rowAt={rowAt} tabIndex={0} />
    </div>
  )
}

type EntryProps = {
  readonly row: AuditRow
  readonly index: number
  readonly open: boolean
  readonly onToggle: () => void
}

function Entry({ row, index, open, onToggle }: EntryProps) {
  const words = t.audit
  const { error, method, outcome } = row
  const at = Date.parse(row.at)
  const time = Number.isNaN(at) ? shownText(row.at, 40) : t.dateTime(at)
  const event = words.events[row.event]
  // The log has addresses; the list of stores has their names.
  const store = useStore(
    consoleStore,
    state => row.storeName ?? state.entries.find(each => each.address === row.store)?.name ?? row.store ?? '',
  )
  const isBad = error !== null || outcome === 'failed' || outcome === 'lost'
  const texts = {
    who: words.who(shownText(row.user, 60), shownText(row.host, 60)),
    what: method === null ? event : words.what(event, shownText(method, 60)),
    store: shownText(store, 120),
    key: shownText(row.key ?? row.plan ?? ''),
    outcome: error
      ? words.failed(shownText(error.code, 40), shownText(error.message))
      : shownText(outcome ?? '', 120),
    reason: shownText(row.reason ?? ''),
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useFocusableInteractive: a table to be read; its buttons are what can be done */}
      <div
        role="row"
        aria-rowindex={index + 2}
        className={`${gridStyles.row} ${styles.row}`}
        data-tone={isBad ? 'danger' : undefined}
      >
        {COLUMNS.map(({ id }) => (
          <div key={id} role="cell" className={gridStyles.cell} data-column={id}>
            {id === 'at' ? (
              <button
                type="button"
                className={`number ${styles.time}`}
                aria-expanded={open}
                aria-label={words.expand(time)}
                title={shownText(row.at, 40)}
                onClick={onToggle}
              >
                {time}
              </button>
            ) : (
              <span className={id === 'key' ? 'clip mono' : 'clip'} title={texts[id]}>
                {texts[id]}
              </span>
            )}
          </div>
        ))}
      </div>
      {open && (
        // biome-ignore lint/a11y/useFocusableInteractive: a table to be read
        <div role="row" className={styles.whole}>
          <div role="cell" aria-colspan={COLUMNS.length}>
            <Statements text={wholeOf(row)} label={words.whole} />
          </div>
        </div>
      )}
    </>
  )
}

function wholeOf(row: AuditRow): string {
  const text = safeJson(row.entry, 2)
  return text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}…` : text
}
