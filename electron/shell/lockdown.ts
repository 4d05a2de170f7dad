import { type App, app, dialog, type Session, type WebContents } from 'electron'
import { mayNavigate } from './failed-page.ts'
import { log } from './log.ts'
import { isOwnUrl } from './sender.ts'

/** Chromium itself must not talk to anybody: no updates, no lookups, no proxies. The stores are asked by core, not by it. */
export function silenceChromium({ commandLine }: App): void {
  for (const name of [
    'disable-background-networking',
    'disable-component-update',
    'disable-domain-reliability',
    'disable-sync',
    'no-pings',
    'no-proxy-server',
  ])
    commandLine.appendSwitch(name)
  commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')
}

/** Every page, whatever window it may come to be in. */
export function confineEveryPage(): void {
  app.on('web-contents-created', (_event, contents) => confine(contents))
}

function confine(contents: WebContents): void {
  contents.on('will-navigate', details => {
    if (mayNavigate(details.url)) return
    log('a navigation was denied')
    details.preventDefault()
  })
  contents.on('will-frame-navigate', details => {
    if (!details.isMainFrame && !mayFrame(details.url)) details.preventDefault()
  })
  contents.on('will-redirect', details => details.preventDefault())
  contents.on('will-attach-webview', event => event.preventDefault())
  contents.setWindowOpenHandler(() => {
    log('a new window was denied')
    return { action: 'deny' }
  })
}

/** Copying is all that the page may ask for. */
function mayHave(permission: string, url: string): boolean {
  return permission === 'clipboard-sanitized-write' && isOwnUrl(url)
}

export function confineSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(mayHave(permission, details.requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => mayHave(permission, origin))
  session.setDevicePermissionHandler(() => false)
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (event, item) => {
    if (!mayDownload(item.getURL())) {
      log('a download was denied')
      event.preventDefault()
      return
    }
    // Without a path of ours, Electron asks the operator where to, with the name only proposed.
    item.once('done', (_event, state) => {
      if (state === 'interrupted') sayUnsaved()
    })
  })
  session.webRequest.onBeforeRequest((details, answer) => {
    const cancel = !mayRequest(details.url)
    if (cancel) log('a request to the network was denied')
    answer({ cancel })
  })
}

/** The page believes that it is done when the file is handed over: only here is it known that it was not written. */
function sayUnsaved(): void {
  log('a file could not be saved')
  void dialog.showMessageBox({
    type: 'error',
    message: 'The file was not saved.',
    detail:
      'It could not be written to its end: the disk may be full, or the folder may not be written to. Save it again elsewhere.',
  })
}

/** In a frame is what the page itself wrote into it, the preview of a report, and never anything that was loaded. */
export function mayFrame(url: string): boolean {
  return url === 'about:srcdoc'
}

/** What the page made itself, for the operator to keep: plans, lists and reports. Nothing is fetched for it. */
export function mayDownload(url: string): boolean {
  return url.startsWith('blob:') && isOwnUrl(url.slice('blob:'.length))
}

/** Ours, what the page makes itself, and the developer tools' own files. */
export function mayRequest(url: string): boolean {
  if (url.startsWith('blob:')) return isOwnUrl(url.slice('blob:'.length))
  return isOwnUrl(url) || url.startsWith('devtools://') || url.startsWith('data:')
}
