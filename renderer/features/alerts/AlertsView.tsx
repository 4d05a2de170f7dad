import { useStore } from 'zustand'
import { ALERT_RULES, settingOf } from '../../../shared/alerts.ts'
import { type AlertsState, alertsStore } from '../../state/alerts.ts'
import { openDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import titleStyles from '../../ui/Title.module.css'
import { t } from '../../words/words.ts'
import { ScopeName } from '../stores/ScopeName.tsx'
import { endedOf, groupsOf } from './alert-groups.ts'
import { EndedList } from './EndedList.tsx'
import { GroupCard } from './GroupCard.tsx'
import { MuteList } from './MuteList.tsx'

export function AlertsView() {
  const state = useStore(alertsStore)
  const scope = useStore(table, each => each.scope)
  const groups = groupsOf(state, scope)
  const words = t.alerts
  return (
    <>
      <header className="view-head">
        <h1 className={titleStyles.title}>
          {words.title}
          <ScopeName />
        </h1>
        <Button
          className="view-end"
          disabled={!state.known}
          onClick={() => openDialog({ kind: 'alert-rules' })}
        >
          {words.rules}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys */}
      <div className="view-body" tabIndex={0} role="group" aria-label={words.title}>
        <ErrorNotice role="status" what={words.problem} error={state.problem} />
        <ErrorNotice role="status" what={words.failed} error={state.error} />
        {groups.length > 0 ? (
          <ul className="alert-groups" aria-label={words.openList}>
            {groups.map((group, i) => (
              <GroupCard
                key={group.groupId}
                group={group}
                advises={groups.findIndex(({ rule }) => rule === group.rule) === i}
              />
            ))}
          </ul>
        ) : state.known ? (
          <Empty icon="check" title={words.calm} text={words.calmText(rulesOn(state))} />
        ) : (
          state.error === null && <Empty icon="again" title={words.loading} text="" />
        )}
        <MuteList />
        <EndedList alerts={endedOf(state.alerts, scope)} />
      </div>
    </>
  )
}

function rulesOn({ book }: AlertsState): number {
  return ALERT_RULES.filter(rule => settingOf(book, rule, '').enabled).length
}
