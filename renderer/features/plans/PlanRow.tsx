import { memo, type ReactNode } from 'react'
import type { PlanEntry, PlanStore } from '../../../shared/plans.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StoreName } from '../stores/StoreName.tsx'
import styles from './Plans.module.css'
import type { PlanColumn, PlanColumnId } from './plan-columns.ts'
import { type PlanFace, stateFace } from './plan-face.ts'

type Props = Partial<PlanFace> & {
  readonly entry: PlanEntry
  readonly store: PlanStore | undefined
  readonly columns: readonly PlanColumn[]
  readonly index: number
  readonly top: number
  readonly active: boolean
  readonly excluded: boolean
  readonly onActivate: (n: number) => void
  /** Until the plan is applied. */
  readonly onExclude: ((n: number) => void) | undefined
}

export const PlanRow = memo(function PlanRow(props: Props) {
  const { entry, index } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
    <div
      id={`plan-row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      className={`${gridStyles.row} ${styles.row}`}
      data-active={props.active || undefined}
      data-excluded={props.excluded || undefined}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={() => props.onActivate(entry.n)}
    >
      {props.columns.map(({ id }, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
        <div key={id} role="gridcell" aria-colindex={i + 1} className={gridStyles.cell} data-column={id}>
          {CELLS[id](props)}
        </div>
      ))}
    </div>
  )
})

const CELLS: Record<PlanColumnId, (props: Props) => ReactNode> = {
  mark: ({ entry, excluded, onExclude }) => {
    const label = t.plans.list[excluded ? 'keep' : 'exclude'](shownText(entry.key, 120))
    return (
      <>
        {onExclude && (
          <button
            type="button"
            tabIndex={-1}
            className={styles.exclude}
            aria-label={label}
            aria-pressed={excluded}
            title={label}
            onClick={event => {
              event.stopPropagation()
              onExclude(entry.n)
            }}
          >
            <Icon name={excluded ? 'plus' : 'cross'} size={11} />
          </button>
        )}
        {excluded && <span className="visually-hidden">{t.plans.list.columns.mark}</span>}
      </>
    )
  },
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
  ends: ({ entry }) => <span className="number clip">{sayEnd(entry)}</span>,
  result: ({ icon, tone, text }) => icon && tone && <FaceCell icon={icon} tone={tone} text={text ?? ''} />,
}

function FaceCell({ icon, tone, text }: PlanFace) {
  return (
    <span className={`${gridStyles.state} ${styles.face}`} data-tone={tone} title={text}>
      <Icon name={icon} /> <span className="clip">{text}</span>
    </span>
  )
}

function sayEnd({ endsAt, observedAt }: PlanEntry): string {
  const words = t.plans.list
  if (endsAt === null) return words.endless
  return endsAt <= observedAt ? words.ended(endsAt) : words.ends(endsAt)
}
