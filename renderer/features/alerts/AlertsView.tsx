import { useStore } from 'zustand'
import { ALERT_RULES, settingOf } from '../../../shared/alerts.ts'
import { type AlertsState, alertsStore } from '../../state/alerts.ts'
import { openDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { ScopeName } from '../stores/ScopeName.tsx'
import styles from './Alerts.module.css'
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
      <ViewHead
        title={
          <>
            {words.title}
            <ScopeName />
          </>
        }
      >
        <Button
          className={viewStyles.end}
          disabled={!state.known}
          onClick={() => openDialog({ kind: 'alert-rules' })}
        >
          {words.rules}
        </Button>
      </ViewHead>
      <ViewBody label={words.title}>
        <ErrorNotice role="status" what={words.problem} error={state.problem} />
        <ErrorNotice role="status" what={words.failed} error={state.error} />
        {groups.length > 0 ? (
          <ul className={styles.groups} aria-label={words.openList}>
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
      </ViewBody>
    </>
  )
}

function rulesOn({ book }: AlertsState): number {
  return ALERT_RULES.filter(rule => settingOf(book, rule, '').enabled).length
}
