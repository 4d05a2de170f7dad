import { memo, type ReactNode } from 'react'
import type { PlanEntry, PlanStore } from '../../../shared/plans.ts'
import { fittingColumns } from '../../state/columns.ts'
import gridStyles from '../../ui/Grid.module.css'
import { type GridColumn, GridRow } from '../../ui/Grid.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import type { Words } from '../../words/en.ts'
import { t } from '../../words/words.ts'
import { StoreName } from '../stores/StoreName.tsx'
import styles from './Plans.module.css'
import { type PlanFace, stateFace } from './plan-face.ts'

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

export function planColumns(width: number, wantsResult: boolean): readonly GridColumn<PlanColumnId>[] {
  const wanted = COLUMNS.filter(column => wantsResult || column.id !== 'result')
  return fittingColumns(wanted, DROPPED_FIRST, width - MARGIN)
}

export const PLAN_GRID = 'plan-locks'

type Props = Partial<PlanFace> & {
  readonly entry: PlanEntry
  readonly store: PlanStore | undefined
  readonly columns: readonly GridColumn<PlanColumnId>[]
  readonly index: number
  readonly top: number
  readonly active: boolean
  readonly excluded: boolean
  readonly onActivate: (n: number) => void
  /** Until the plan is applied. */
  readonly onExclude: ((n: number) => void) | undefined
}

export const PlanRow = memo(function PlanRow(props: Props) {
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

const CELLS: Record<PlanColumnId, (props: Props) => ReactNode> = {
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
        <span className="muted">{t.table.noOwner}</span>
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

type ExcludeProps = {
  readonly name: string
  readonly excluded: boolean
  readonly tabIndex?: number
  readonly onClick: () => void
}

/** Excludes a lock or a group, or includes it again. */
export function ExcludeButton({ name, excluded, tabIndex, onClick }: ExcludeProps) {
  const label = t.plans[excluded ? 'include' : 'exclude'](name)
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      className={styles.exclude}
      aria-label={label}
      aria-pressed={excluded}
      title={label}
      onClick={event => {
        event.stopPropagation()
        onClick()
      }}
    >
      <Icon name={excluded ? 'plus' : 'cross'} size={11} />
    </button>
  )
}

function endText({ endsAt, observedAt }: PlanEntry): string {
  const words = t.plans.list
  if (endsAt === null) return words.endless
  return endsAt <= observedAt ? words.ended(endsAt) : t.dateTime(endsAt)
}
