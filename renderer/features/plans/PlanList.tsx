import type { VirtualItem } from '@tanstack/react-virtual'
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { PlanChange, PlanEntry, PlanStore } from '../../../shared/plans.ts'
import { fittingColumns, type GridColumn } from '../../state/columns.ts'
import { type PlanBook, SHOW_ALL, type Show, sameShow } from '../../state/plan-book.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Chip } from '../../ui/Chip.tsx'
import { SearchBox } from '../../ui/Field.tsx'
import gridStyles from '../../ui/Grid.module.css'
import { Grid, GridRow, type RowPlace } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useGrid } from '../../ui/use-grid.ts'
import type { Words } from '../../words/en.ts'
import { shownText, t } from '../../words/words.ts'
import { StoreName } from '../stores/StoreName.tsx'
import { ExcludeButton } from './PlanGroups.tsx'
import styles from './Plans.module.css'
import type { ShowChip } from './plan-chips.ts'
import { nowFace, type PlanFace, resultFace, stateFace } from './plan-face.ts'
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

/** The locks of a plan with search and filters, for its review and its results. */
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
      <PlanGrid {...props} />
    </>
  )
}

type ChipsProps = {
  readonly chips: readonly ShowChip[]
  readonly show: Show
  readonly onShow: (show: Show) => void
}

/** Filters the locks. Pressing the selected chip again shows all. */
function ShowChips({ chips, show, onShow }: ChipsProps) {
  return (
    <div className={chipStyles.chips} role="group" aria-label={t.plans.show.label}>
      {chips.map(chip => {
        const pressed = sameShow(chip.show, show)
        return (
          <Chip
            key={JSON.stringify(chip.show)}
            tone={chip.tone}
            aria-pressed={pressed}
            onClick={() => onShow(pressed ? SHOW_ALL : chip.show)}
          >
            {pressed && <Icon name="check" size={11} />} {chip.label}
          </Chip>
        )
      })}
    </div>
  )
}

function PlanGrid({ book, view, changes = null, onExclude }: Omit<Props, 'chips' | 'children'>) {
  const { order } = view
  const element = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'

  // Keys work at once, unless a field has the focus.
  const mayExclude = onExclude !== undefined
  useEffect(() => {
    if (mayExclude || document.activeElement === document.body) element.current?.focus()
  }, [mayExclude])

  const excludeActive = () => {
    if (active !== null && order.includes(active)) onExclude?.(active)
  }
  const grid = useGrid({
    order,
    active,
    onMove: setActive,
    actions: { ' ': excludeActive, Delete: excludeActive },
  })
  const columns = useMemo(
    () => planColumns(grid.width, applied || changes !== null),
    [grid.width, applied, changes],
  )
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
        active={entry.n === active}
        excluded={book.isExcluded(entry)}
        {...face}
        onActivate={setActive}
        onExclude={onExclude}
      />
    )
  }
  return (
    <Grid
      ref={element}
      id={PLAN_GRID}
      aria-label={t.plans.list.label}
      className={`${gridStyles.framed} ${styles.grid}`}
      grid={grid}
      columns={columns}
      titleOf={id => (
        <span className={id === 'mark' ? 'visually-hidden' : ''}>
          {t.plans.list.columns[id === 'result' && !applied ? 'now' : id]}
        </span>
      )}
      rowAt={rowAt}
    >
      {order.length === 0 && <p className={`${styles.none} muted`}>{t.plans.list.none}</p>}
    </Grid>
  )
}

type PlanColumnId = Exclude<keyof Words['plans']['list']['columns'], 'now'>

const COLUMNS: readonly GridColumn<PlanColumnId>[] = [
  { id: 'mark', width: '22px', min: 22 },
  { id: 'state', width: '88px', min: 88 },
  { id: 'key', width: 'minmax(140px, 2fr)', min: 150 },
  { id: 'holder', width: 'minmax(90px, 1.2fr)', min: 100 },
  { id: 'store', width: 'minmax(80px, 0.8fr)', min: 90 },
  { id: 'held', width: '92px', min: 92 },
  { id: 'ends', width: '116px', min: 116 },
  { id: 'result', width: 'minmax(130px, 1.4fr)', min: 140 },
]

/** Columns to drop in this order when the grid is narrow. The key and the result stay. */
const DROPPED_FIRST: readonly PlanColumnId[] = ['store', 'ends', 'held', 'state', 'holder']
/** Of the grid, beside its columns. */
const MARGIN = 8

function planColumns(width: number, wantsResult: boolean): readonly GridColumn<PlanColumnId>[] {
  const wanted = COLUMNS.filter(column => wantsResult || column.id !== 'result')
  return fittingColumns(wanted, DROPPED_FIRST, width - MARGIN)
}

const PLAN_GRID = 'plan-locks'

type RowProps = Partial<PlanFace> &
  RowPlace<PlanColumnId> & {
    readonly entry: PlanEntry
    readonly store: PlanStore | undefined
    readonly excluded: boolean
    readonly onActivate: (n: number) => void
    /** Until the plan is applied. */
    readonly onExclude: ((n: number) => void) | undefined
  }

const PlanRow = memo(function PlanRow(props: RowProps) {
  const { entry, columns, index, top, active, excluded, onActivate } = props
  return (
    <GridRow
      gridId={PLAN_GRID}
      columns={columns}
      index={index}
      top={top}
      active={active}
      className={styles.row}
      data-excluded={excluded || undefined}
      cellOf={id => CELLS[id](props)}
      onClick={() => onActivate(entry.n)}
    />
  )
})

const CELLS: Record<PlanColumnId, (props: RowProps) => ReactNode> = {
  mark: ({ entry, excluded, onExclude }) => (
    <>
      {onExclude && (
        <ExcludeButton
          tabIndex={-1}
          name={shownText(entry.key, 120)}
          excluded={excluded}
          onClick={() => onExclude(entry.n)}
        />
      )}
      {excluded && <span className="visually-hidden">{t.plans.list.columns.mark}</span>}
    </>
  ),
  state: ({ entry }) => <FaceCell {...stateFace(entry.state)} />,
  key: ({ entry }) => (
    <span className="mono clip" title={shownText(entry.key)}>
      {shownText(entry.key)}
    </span>
  ),
  holder: ({ entry: { owner, holder } }) => (
    <span className="clip" title={shownText([...new Set([owner, holder])].filter(Boolean).join(' '))}>
      {owner === null && holder === null ? (
        <span className="muted">{t.noHolder}</span>
      ) : (
        shownText(owner ?? holder ?? '', 120)
      )}
      {owner !== null && holder !== null && holder !== owner && (
        <span className="faint"> {shownText(holder, 60)}</span>
      )}
    </span>
  ),
  store: ({ store }) => (
    <StoreName name={shownText(store?.name ?? '', 80)} production={store?.production ?? false} />
  ),
  held: ({ entry: { heldSince, observedAt } }) => (
    <span className="number">
      {heldSince === null ? t.plans.list.unknown : t.span(Math.max(0, observedAt - heldSince))}
    </span>
  ),
  ends: ({ entry }) => <span className="number clip">{endText(entry)}</span>,
  result: ({ icon, tone, text }) => icon && tone && <FaceCell icon={icon} tone={tone} text={text ?? ''} />,
}

function FaceCell({ icon, tone, text }: PlanFace) {
  return (
    <span className={`${gridStyles.state} ${styles.face}`} data-tone={tone} title={text}>
      <Icon name={icon} /> <span className="clip">{text}</span>
    </span>
  )
}

function endText({ endsAt, observedAt }: PlanEntry): string {
  const words = t.plans.list
  if (endsAt === null) return words.endless
  return endsAt <= observedAt ? words.ended(endsAt) : t.dateTime(endsAt)
}
