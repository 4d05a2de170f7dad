import { app, type BrowserWindow, Notification } from 'electron'
import { AlertNews, type Notice, noticesOf } from '../../shared/alert-news.ts'
import { type AlertsEvent, SHOW_ALERTS } from '../../shared/alerts.ts'
import { createClient } from '../../shared/client.ts'
import { type Core, openSession } from '../core/dispatch.ts'
import { log } from './log.ts'
import { isOwnUrl } from './sender.ts'
import { openTray } from './tray.ts'

const TITLE = 'Lockkeeper'

/**
 * Shows alerts where the desktop has places for them: the badge of the dock, the title of the window, the tray, and
 * notifications. Each of them is missing on some desktop.
 */
export function followAlerts(core: Core, window: BrowserWindow): () => void {
  const news = new AlertNews()
  // An unreferenced notification is garbage collected, and its click handler with it.
  const shown = new Set<Notification>()
  let again: NodeJS.Timeout | undefined
  const showWindow = () => bringToFront(window)
  const tray = openTray(showWindow)

  function notify({ title, body }: Notice): void {
    const notification = new Notification({ title, body })
    const forget = () => shown.delete(notification)
    notification.on('click', () => {
      forget()
      showWindow()
      showAlerts(window)
    })
    notification.on('close', forget)
    notification.on('failed', forget)
    shown.add(notification)
    notification.show()
  }
  function tell(event: AlertsEvent): void {
    clearTimeout(again)
    const { items, againInMs } = news.next(event, performance.now())
    if (event.book.notify && Notification.isSupported()) noticesOf(items).forEach(notify)
    if (againInMs !== null) again = setTimeout(() => tell(event), againInMs)
  }
  function show(event: AlertsEvent): void {
    app.setBadgeCount(event.unacknowledged)
    if (!window.isDestroyed()) window.setTitle(titleOf(event.unacknowledged))
    tray?.show(event)
    tell(event)
  }

  // The page sets its own title whenever it is loaded.
  window.on('page-title-updated', event => event.preventDefault())
  const client = createClient(frame => session.receive(frame))
  const session = openSession(core, frame => client.receive(frame))
  client.open('alerts.watch', {}, show, result => {
    if (!result.ok) log(`alerts are no longer shown outside the window: ${result.error.message}`)
  })
  return () => {
    clearTimeout(again)
    session.close()
    tray?.close()
  }
}

function titleOf(unacknowledged: number): string {
  return unacknowledged === 0 ? TITLE : `(${unacknowledged}) ${TITLE}`
}

function bringToFront(window: BrowserWindow): void {
  if (window.isDestroyed()) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** An event of the page's own, so the preload script needs no method for it. */
function showAlerts(window: BrowserWindow): void {
  if (window.isDestroyed() || !isOwnUrl(window.webContents.getURL())) return
  window.webContents.executeJavaScript(`window.dispatchEvent(new Event('${SHOW_ALERTS}'))`).catch(() => {})
}
