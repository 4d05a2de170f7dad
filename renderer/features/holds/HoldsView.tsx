import { useStore } from 'zustand'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import { goingOn, holdsStore } from '../../state/holds.ts'
import { openDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { HoldCard } from './HoldCard.tsx'
import styles from './Holds.module.css'

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
  if (holds.length === 0) return null
  return (
    <Card label={words.ended} titled aside={<span className="faint number">{t.number(holds.length)}</span>}>
      <NumberTable
        caption={words.ended}
        head={Object.values(words.endedColumns)}
        rows={holds.map(({ holdId, key, storeName, ended, reason }) => ({
          id: holdId,
          cells: [
            shownText(key, 80),
            shownText(storeName, 60),
            ended === null
              ? ''
              : [words.ends[ended.how], ...(ended.message === null ? [] : [sentence(ended.message)])].join(
                  ': ',
                ),
            ended === null ? '' : t.dateTime(ended.at),
            shownText(reason, 120),
          ],
        }))}
      />
    </Card>
  )
}
