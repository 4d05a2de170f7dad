import { alertSentence } from '../../../shared/alert-words.ts'
import { RULES, SHOW_ALERTS } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import { show } from '../../state/view.ts'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { News, type Piece } from './news.ts'

/** Signs for whoever does not look at the page: its title, its badge, and what the desktop is told. */
export function startAlertSigns(): void {
  // The window's shell tells the desktop itself, and says when somebody wants to see what it told.
  window.addEventListener(SHOW_ALERTS, () => show('alerts'))
  const news = new News()
  alertsStore.subscribe((now, before) => {
    if (now.alerts === before.alerts) return
    mark(now.unacknowledged)
    const pieces = news.next(now, Date.now())
    if (now.book.notify && mayNotify() && !document.hasFocus()) for (const piece of pieces) notify(piece)
  })
}

function mark(unacknowledged: number): void {
  document.title = unacknowledged > 0 ? t.alerts.documentTitle(unacknowledged) : t.product
  if (consoleStore.getState().info?.host !== 'web') return
  // Not every browser has a badge, and none has to show it.
  const done = unacknowledged > 0 ? navigator.setAppBadge?.(unacknowledged) : navigator.clearAppBadge?.()
  done?.catch(() => {})
}

/** In the window the shell tells the desktop; a browser has to be allowed to. */
export function asksBrowser({ info }: ConsoleState): boolean {
  return info?.host === 'web' && 'Notification' in window
}

function mayNotify(): boolean {
  return asksBrowser(consoleStore.getState()) && Notification.permission === 'granted'
}

function notify({ groupId, alerts, count }: Piece): void {
  const [first] = alerts
  if (!first) return
  const notice = new Notification(t.alerts.noticeTitle(RULES[first.rule].title, first.storeName), {
    body: count > 1 ? t.alerts.noticeMany(count) : sentence(alertSentence(first)),
    // Another one of the same rule and store takes its place.
    tag: groupId,
  })
  notice.onclick = () => {
    window.focus()
    show('alerts')
    notice.close()
  }
}
