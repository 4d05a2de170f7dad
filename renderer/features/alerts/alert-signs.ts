import { AlertNews, noticesOf } from '../../../shared/alert-news.ts'
import { alertHeadline } from '../../../shared/alert-words.ts'
import { type AlertsEvent, SHOW_ALERTS } from '../../../shared/alerts.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { alertsStore } from '../../state/alerts.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import { show } from '../../state/view.ts'
import { t } from '../../words/words.ts'

/** Shows alerts outside their view: in the title of the page, on its badge, and as desktop notifications. */
export function startAlertSigns(): void {
  // The window's shell shows its own notifications and reports clicks.
  window.addEventListener(SHOW_ALERTS, () => show('alerts'))
  alertsStore.subscribe((now, before) => {
    if (now.alerts !== before.alerts) mark(now.unacknowledged)
  })
  followNews((items, { book }) => {
    if (book.notify && mayNotify() && !document.hasFocus()) noticesOf(items).forEach(notify)
  })
}

/** Calls `tell` with alerts that are newer than the page: the operator sees the earlier ones anyway. */
function followNews(tell: (items: ReturnType<AlertNews['next']>['items'], event: AlertsEvent) => void) {
  const news = new AlertNews()
  let again: ReturnType<typeof setTimeout> | undefined
  const first = alertsStore.getState()
  if (first.known) news.skip(first)
  const look = () => {
    clearTimeout(again)
    const now = alertsStore.getState()
    const { items, againInMs } = news.next(now, performance.now())
    if (items.length > 0) tell(items, now)
    if (againInMs !== null) again = setTimeout(look, againInMs)
  }
  const unsubscribe = alertsStore.subscribe((now, before) => {
    if (now.alerts === before.alerts) return
    if (before.known) look()
    else news.skip(now)
  })
  return () => {
    clearTimeout(again)
    unsubscribe()
  }
}

/** For screen readers: new critical alerts, once, and at most once a minute for a rule in a store. */
export function announceNews(say: (text: string) => void): () => void {
  return followNews(items => {
    const critical = items.filter(({ alerts: [first] }) => first?.severity === 'critical')
    const [first] = critical.flatMap(({ alerts }) => alerts)
    if (!first) return
    const count = critical.reduce((sum, item) => sum + item.count, 0)
    say(count === 1 ? t.alerts.announceOne(neutralise(alertHeadline(first))) : t.alerts.announceMany(count))
  })
}

function mark(unacknowledged: number): void {
  document.title = unacknowledged > 0 ? t.alerts.documentTitle(unacknowledged) : t.product
  if (consoleStore.getState().info?.host !== 'web') return
  // Some browsers have no badge, and any may refuse it.
  const done = unacknowledged > 0 ? navigator.setAppBadge?.(unacknowledged) : navigator.clearAppBadge?.()
  done?.catch(() => {})
}

/** Whether the browser has to be asked for permission; in the window the shell notifies. */
export function asksBrowser({ info }: ConsoleState): boolean {
  return info?.host === 'web' && 'Notification' in window
}

function mayNotify(): boolean {
  return asksBrowser(consoleStore.getState()) && Notification.permission === 'granted'
}

function notify({ title, body, tag }: ReturnType<typeof noticesOf>[number]): void {
  const notice = new Notification(title, { body, tag })
  notice.onclick = () => {
    window.focus()
    show('alerts')
    notice.close()
  }
}
