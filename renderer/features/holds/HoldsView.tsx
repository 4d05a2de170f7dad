import { useStore } from 'zustand'
import { holdEndSentence } from '../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import { useNow } from '../../state/clock.ts'
import { dismissLoss, goingOn, holdsStore, lossesToTell } from '../../state/holds.ts'
import { openDialog } from '../../state/view.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { Button } from '../../ui/Button.tsx'
import { CountedTable } from '../../ui/Card.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import { HoldCard } from './HoldCard.tsx'
import styles from './Holds.module.css'

/** In the navigation. */
export function HoldCount() {
  const going = goingOn(useStore(holdsStore, state => state.holds)).length
  if (going === 0) return null
  return (
    <span className={`number ${badgeStyles.badge}`} title={t.holds.countTitle(going)}>
      {t.number(going)}
    </span>
  )
}

export function HoldsView() {
  const { holds, known, error, notice } = useStore(holdsStore)
  const going = goingOn(holds)
  const words = t.holds
  return (
    <>
      <ViewHead title={words.title}>
        <Button className={viewStyles.end} onClick={() => openDialog({ kind: 'hold' })}>
          {words.open}
        </Button>
      </ViewHead>
      <ViewBody label={words.title}>
        <ErrorNotice role="status" what={words.failed} error={error} />
        <ErrorNotice role="status" what={words.mayBeMore} error={notice} />
        {going.length > 0 ? (
          <ul className={styles.list} aria-label={words.list}>
            {going.map(hold => (
              <HoldCard key={hold.holdId} hold={hold} />
            ))}
          </ul>
        ) : (
          known && notice === null && <Empty icon="hold" title={words.none} text={words.noneText} />
        )}
        <EndedHolds holds={holds.filter(({ state }) => state === 'ended')} />
      </ViewBody>
    </>
  )
}

function EndedHolds({ holds }: { readonly holds: readonly MaintenanceHold[] }) {
  const words = t.holds
  const columns = words.endedColumns
  return (
    <CountedTable
      label={words.ended}
      rows={holds}
      keyOf={({ holdId }) => holdId}
      columns={[
        [columns.key, ({ key }) => shownText(key, 80), 'head'],
        [columns.store, ({ storeName }) => shownText(storeName, 60)],
        [columns.how, ({ ended }) => ended && sayEnd(ended)],
        [columns.when, ({ ended }) => ended && t.dateTime(ended.at)],
        [columns.reason, ({ reason }) => shownText(reason, 120)],
      ]}
    />
  )
}

function sayEnd({ how, message }: NonNullable<MaintenanceHold['ended']>): string {
  const end = t.holds.ends[how]
  return message === null ? end : `${end}: ${sentence(message)}`
}

/** Announces lost holds above everything else, until dismissed. */
export function HoldNews() {
  const state = useStore(holdsStore)
  const losses = lossesToTell(state, useNow())
  return (
    <div className={styles.news} role="alert">
      {losses.map(hold => (
        <Notice key={hold.holdId} role="none">
          <Icon name="alert" /> <span>{shownText(holdEndSentence(hold), 600)}</span>
          <Button look="link" onClick={() => dismissLoss(hold.holdId)}>
            {t.dismiss}
          </Button>
        </Notice>
      ))}
    </div>
  )
}
