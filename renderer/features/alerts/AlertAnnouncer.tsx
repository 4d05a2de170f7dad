import { useEffect, useState } from 'react'
import { alertHeadline } from '../../../shared/alert-words.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { t } from '../../words/words.ts'
import { News } from './news.ts'

/** For screen readers: new critical alerts, once, and not more often than anybody can listen. */
export function AlertAnnouncer() {
  const [text, setText] = useState('')
  useEffect(() => {
    const news = new News()
    const { known, alerts } = alertsStore.getState()
    if (known) news.next(alerts, Date.now())
    return alertsStore.subscribe((now, before) => {
      if (now.alerts === before.alerts) return
      const critical = news
        .next(now.alerts, Date.now())
        .flatMap(piece => piece.alerts)
        .filter(({ severity }) => severity === 'critical')
      const [first] = critical
      if (!first) return
      setText(
        critical.length === 1
          ? t.alerts.announceOne(neutralise(alertHeadline(first)))
          : t.alerts.announceMany(critical.length),
      )
    })
  }, [])
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}
