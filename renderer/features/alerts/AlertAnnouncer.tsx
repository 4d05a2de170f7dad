import { useEffect, useState } from 'react'
import { alertHeadline } from '../../../shared/alert-words.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { alertsStore } from '../../state/alerts.ts'
import { t } from '../../words/words.ts'
import { News } from './news.ts'

/** For screen readers: new critical alerts, once, and not more often than anybody can listen. */
export function AlertAnnouncer() {
  const [text, setText] = useState('')
  useEffect(() => {
    const news = new News()
    const told = alertsStore.getState()
    if (told.known) news.next(told, Date.now())
    return alertsStore.subscribe((now, before) => {
      if (now.alerts === before.alerts) return
      const critical = news
        .next(now, Date.now())
        .filter(({ alerts: [first] }) => first?.severity === 'critical')
      const [first] = critical.flatMap(({ alerts }) => alerts)
      if (!first) return
      const count = critical.reduce((sum, piece) => sum + piece.count, 0)
      setText(
        count === 1 ? t.alerts.announceOne(neutralise(alertHeadline(first))) : t.alerts.announceMany(count),
      )
    })
  }, [])
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}
