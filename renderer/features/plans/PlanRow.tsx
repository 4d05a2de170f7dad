import { memo } from 'react'
import type { PlanEntry, PlanStore } from '../../../shared/plans.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StoreName } from '../stores/StoreName.tsx'
import styles from './Plans.module.css'
import type { PlanColumn, PlanColumnId } from './plan-columns.ts'
import { type PlanFace, stateFace } from './plan-face.ts'

type Props = {
  readonly entry: PlanEntry
  readonly store: PlanStore | undefined
  readonly columns: readonly PlanColumn[]
  readonly index: number
  readonly top: number
  readonly active: boolean
  readonly excluded: boolean
  /** Until the plan is applied. */
  readonly mayExclude: boolean
  readonly icon: PlanFace['icon'] | null
  readonly tone: PlanFace['tone'] | null
  readonly text: string
  readonly onActivate: (n: number) => void
  readonly onExclude: (n: number) => void
}

export const PlanRow = memo(function PlanRow(props: Props) {
  const { entry, index, excluded } = props
  const key = shownText(entry.key, 120)
  const label = excluded ? t.plans.list.keep(key) : t.plans.list.exclude(key)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
    <div
      id={`plan-row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      className={`${gridStyles.row} ${styles.row}`}
      data-active={props.active || undefined}
      data-excluded={excluded || undefined}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={() => props.onActivate(entry.n)}
    >
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row */}
      <div role="gridcell" aria-colindex={1} className={`${gridStyles.cell} ${styles.mark}`}>
        {props.mayExclude && (
          <button
            type="button"
            tabIndex={-1}
            className={styles.exclude}
            aria-label={label}
            aria-pressed={excluded}
            title={label}
            onClick={event => {
              event.stopPropagation()
              props.onExclude(entry.n)
            }}
          >
            <Icon name={excluded ? 'plus' : 'cross'} size={11} />
          </button>
        )}
        {excluded && <span className="visually-hidden">{t.plans.list.columns.mark}</span>}
      </div>
      {props.columns.map((column, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
        <div
          key={column.id}
          role="gridcell"
          aria-colindex={i + 2}
          className={gridStyles.cell}
          data-column={column.id}
        >
          <Cell {...props} column={column.id} />
        </div>
      ))}
    </div>
  )
})

function Cell({ column, entry, store, icon, tone, text }: Props & { readonly column: PlanColumnId }) {
  const words = t.plans.list
  switch (column) {
    case 'state': {
      const face = stateFace(entry.state)
      return (
        <span className={gridStyles.state} data-tone={face.tone}>
          <Icon name={face.icon} /> {face.text}
        </span>
      )
    }
    case 'key': {
      const key = shownText(entry.key)
      return (
        <span className="mono clip" title={key}>
          {key}
        </span>
      )
    }
    case 'holder': {
      const owner = entry.owner ?? entry.holder
      const label = entry.owner !== null && entry.holder !== entry.owner ? entry.holder : null
      return (
        <span className="clip" title={shownText([owner, label].filter(Boolean).join(' '))}>
          {owner === null ? <span className="muted">{t.table.noOwner}</span> : shownText(owner, 120)}
          {label !== null && <span className="faint"> {shownText(label, 60)}</span>}
        </span>
      )
    }
    case 'store':
      return <StoreName name={shownText(store?.name ?? '', 80)} production={store?.production ?? false} />
    case 'held':
      return (
        <span className="number">
          {entry.heldSince === null ? words.unknown : t.span(Math.max(0, entry.observedAt - entry.heldSince))}
        </span>
      )
    case 'ends':
      return <span className="number clip">{sayEnd(entry)}</span>
    case 'result':
      return icon === null ? null : (
        <span className={`${gridStyles.state} ${styles.result}`} data-tone={tone} title={text}>
          <Icon name={icon} /> <span className="clip">{text}</span>
        </span>
      )
  }
}

function sayEnd({ endsAt, observedAt }: PlanEntry): string {
  const words = t.plans.list
  if (endsAt === null) return words.endless
  return endsAt <= observedAt ? words.ended(endsAt) : words.ends(endsAt)
}
