import { useEffect, useState } from 'react'
import { RULE_WORDS } from '../../../shared/alert-words.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { shownText } from '../../ui/shown-text.ts'
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
      const key = first.key === null ? null : shownText(first.key, 80)
      setText(
        critical.length === 1
          ? t.alerts.announceOne(RULE_WORDS[first.rule].title, key, shownText(first.storeName, 60))
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
