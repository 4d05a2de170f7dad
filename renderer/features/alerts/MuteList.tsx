import { useState } from 'react'
import { useStore } from 'zustand'
import { type Mute, RULES } from '../../../shared/alerts.ts'
import type { Failure } from '../../../shared/result.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Alerts.module.css'
import { mutedBy } from './alert-groups.ts'

/** What tells nobody, why, and the way to end that. */
export function MuteList() {
  const { mutes, alerts } = useStore(alertsStore)
  const entries = useStore(consoleStore, state => state.entries)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  if (mutes.length === 0) return null
  const end = async (muteId: string) => {
    const answer = await ask('alerts.unmute', { muteId })
    setError(answer.ok ? null : answer.error)
  }
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
            <Button onClick={() => void end(mute.muteId)}>
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
