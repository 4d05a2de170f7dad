import { useId, useState } from 'react'
import { useStore } from 'zustand'
import { LOCK_STATES } from '../../../shared/locks.ts'
import type { PlanSummary } from '../../../shared/plans.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import { type Group, type GroupBy, type PlanBook, type Show, sameShow } from '../../state/plan-book.ts'
import { Icon } from '../../ui/Icon.tsx'
import segmentStyles from '../../ui/Segments.module.css'
import { shownText, t } from '../../words/words.ts'
import { ProductionBadge } from '../stores/StoreName.tsx'
import styles from './Plans.module.css'
import { useShape } from './use-plan-view.ts'

const BY: readonly GroupBy[] = ['store', 'holder', 'format', 'state']
/** More groups are not shown; the list finds their locks. */
const MOST = 200

type Props = {
  readonly book: PlanBook
  readonly plan: PlanSummary
  readonly show: Show
  readonly onShow: (show: Show) => void
  readonly onExclude: (by: GroupBy, value: string, excluded: boolean) => void
}

/** The groups of the plan, largest first, each with a button to exclude it. */
export function PlanGroups({ book, ...props }: Props) {
  const { plan } = props
  const [by, setBy] = useState<GroupBy>(plan.stores.length > 1 ? 'store' : 'state')
  const id = useId()
  const groups = useShape(book, () => book.groups(by), [by])
  const words = t.plans.groups
  const turn = (step: number) => {
    const next = BY[(BY.indexOf(by) + step + BY.length) % BY.length] ?? by
    setBy(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <section className={styles.groups} aria-label={words.label}>
      <div role="tablist" aria-label={words.label} className={`${segmentStyles.segmented} ${styles.tabs}`}>
        {BY.map(each => (
          <button
            key={each}
            id={`${id}-${each}`}
            type="button"
            role="tab"
            aria-selected={each === by}
            aria-controls={`${id}-panel`}
            tabIndex={each === by ? 0 : -1}
            onClick={() => setBy(each)}
            onKeyDown={event => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
              if (step !== undefined) turn(step)
            }}
          >
            {words.by[each]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${by}`} className={styles.groupList}>
        <ul>
          {groups.slice(0, MOST).map(group => (
            <GroupItem key={group.value} by={by} group={group} {...props} />
          ))}
        </ul>
        {groups.length > MOST && <p className="faint">{words.more(groups.length - MOST)}</p>}
      </div>
    </section>
  )
}

type ItemProps = Omit<Props, 'book'> & {
  readonly by: GroupBy
  readonly group: Group
}

function GroupItem({ by, group, plan, show, onShow, onExclude }: ItemProps) {
  const formats = useStore(consoleStore, state => state.formats)
  const name = groupName(by, group.value, plan, formats)
  const own: Show = { by: 'group', group: by, value: group.value }
  const words = t.plans.groups
  return (
    <li className={styles.group} data-excluded={group.kept === 0 || undefined}>
      <ExcludeButton
        name={name}
        excluded={group.excluded}
        onClick={() => onExclude(by, group.value, !group.excluded)}
      />
      <button
        type="button"
        className={styles.groupName}
        aria-pressed={sameShow(show, own)}
        title={words.only(name)}
        onClick={() => onShow(own)}
      >
        <span className="clip">{name}</span>
        {by === 'store' && plan.stores[Number(group.value)]?.production && <ProductionBadge />}
      </button>
      <span className="number muted">
        {group.kept === group.all ? t.number(group.all) : t.run.of(group.kept, group.all)}
      </span>
    </li>
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

export function groupName(
  by: GroupBy,
  value: string,
  plan: PlanSummary,
  formats: ConsoleState['formats'],
): string {
  switch (by) {
    case 'store':
      return shownText(plan.stores[Number(value)]?.name ?? value, 80)
    case 'holder':
      return value === '' ? t.noHolder : shownText(value, 80)
    case 'format':
      return formats.get(value)?.title ?? shownText(value, 80)
    case 'state': {
      const state = LOCK_STATES.find(each => each === value)
      return state === undefined ? shownText(value, 80) : t.table.states[state]
    }
  }
}
