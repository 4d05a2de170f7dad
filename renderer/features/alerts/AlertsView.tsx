import { useStore } from 'zustand'
import { ALERT_RULES, type Alert, type Mute, RULES, settingOf } from '../../../shared/alerts.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { type AlertsState, alertsStore } from '../../state/alerts.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { openDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, CountedTable } from '../../ui/Card.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { shownText, t } from '../../words/words.ts'
import { ScopeName } from '../stores/StoreName.tsx'
import styles from './Alerts.module.css'
import { endedOf, groupsOf, mutedBy } from './alert-groups.ts'
import { GroupCard } from './GroupCard.tsx'

export function AlertsView() {
  const state = useStore(alertsStore)
  const scope = useStore(table, each => each.scope)
  const groups = groupsOf(state, scope)
  const words = t.alerts
  return (
    <>
      <ViewHead title={words.title} aside={<ScopeName />}>
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

/** The mutes with their reasons. */
function MuteList() {
  const { mutes, alerts } = useStore(alertsStore)
  const entries = useStore(consoleStore, state => state.entries)
  const { error, run: end } = useRequest((muteId: string) => ask('alerts.unmute', { muteId }))
  const words = t.alerts
  if (mutes.length === 0) return null
  return (
    <Card label={words.mutes} titled>
      <ErrorNotice what={words.failedToSave} error={error} />
      <ul className={styles.mutes}>
        {mutes.map(mute => (
          <li key={mute.muteId}>
            <span className={styles.muteWhat}>{sayMute(mute, entries)}</span>
            <span className="muted">{words.muteBy(shownText(mute.by, 60), shownText(mute.reason, 300))}</span>
            <span className="faint number">
              {words.muteUntil(mute.until)} · {words.muting(mutedBy(alerts, mute.muteId))}
            </span>
            <Button onClick={() => end(mute.muteId)}>
              {words.endMute}
              <span className="visually-hidden"> {sayMute(mute, entries)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function sayMute({ rule, address, lockId }: Mute, entries: readonly StoreEntry[]): string {
  const words = t.alerts
  const title = rule === null ? words.anyRule : RULES[rule].title
  if (address === null) return words.muteOf(title, words.anywhere)
  const store = shownText(entries.find(each => each.address === address)?.name ?? address, 80)
  return words.muteOf(
    title,
    lockId === null ? words.inStore(store) : words.ofLock(shownText(lockId, 120), store),
  )
}

/** Ended alerts, latest first. */
function EndedList({ alerts }: { readonly alerts: readonly Alert[] }) {
  const words = t.alerts
  const columns = words.endedColumns
  const sayTime = ({ since, until, count }: Alert) =>
    [words.endedTime(since, until ?? since), ...(count > 1 ? [words.times(count)] : [])].join(' · ')
  return (
    <CountedTable
      label={words.ended}
      rows={alerts}
      keyOf={({ alertId }) => alertId}
      columns={[
        [columns.alert, ({ rule }) => RULES[rule].title, 'head'],
        [columns.lock, ({ key }) => (key === null ? words.storeItself : shownText(key, 80))],
        [columns.store, ({ storeName }) => shownText(storeName, 60)],
        [columns.time, sayTime],
        [
          columns.note,
          ({ acknowledged }) =>
            acknowledged && words.muteBy(shownText(acknowledged.by, 40), shownText(acknowledged.reason, 120)),
        ],
      ]}
    />
  )
}
