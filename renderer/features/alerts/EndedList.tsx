import { type Alert, RULES } from '../../../shared/alerts.ts'
import { Card } from '../../ui/Card.tsx'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** What is over, the last one first. */
export function EndedList({ alerts }: { readonly alerts: readonly Alert[] }) {
  const words = t.alerts
  if (alerts.length === 0) return null
  return (
    <Card label={words.ended} titled aside={<span className="faint number">{t.number(alerts.length)}</span>}>
      <NumberTable
        caption={words.ended}
        head={Object.values(words.endedColumns)}
        rows={alerts.map(alert => ({
          id: alert.alertId,
          cells: [
            RULES[alert.rule].title,
            alert.key === null ? words.storeItself : shownText(alert.key, 80),
            shownText(alert.storeName, 60),
            [
              words.endedTime(alert.since, alert.until ?? alert.since),
              ...(alert.count > 1 ? [words.times(alert.count)] : []),
            ].join(' · '),
            alert.acknowledged
              ? words.muteBy(shownText(alert.acknowledged.by, 40), shownText(alert.acknowledged.reason, 120))
              : '',
          ],
        }))}
      />
    </Card>
  )
}
