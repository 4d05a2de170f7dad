import { type App, app, dialog, type Session, type WebContents } from 'electron'
import { mayNavigate } from './failed-page.ts'
import { log } from './log.ts'
import { isOwnUrl } from './sender.ts'

/**
 * A proxy at a port where nothing but root could listen, for everything that would leave. Requests are denied before, but
 * WebRTC connects past them; without UDP it goes through the proxy.
 */
const NO_WAY_OUT = 'socks5://127.0.0.1:1'

/** Chromium makes no connections: no updates, no lookups. Core talks to the stores. */
export function silenceChromium({ commandLine }: App): void {
  for (const name of [
    'disable-background-networking',
    'disable-component-update',
    'disable-domain-reliability',
    'disable-sync',
    'no-pings',
  ])
    commandLine.appendSwitch(name)
  commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')
  commandLine.appendSwitch('proxy-server', NO_WAY_OUT)
  // Addresses of this machine would need no proxy.
  commandLine.appendSwitch('proxy-bypass-list', '<-loopback>')
}

/** Every page, in whatever window. */
export function confineEveryPage(): void {
  app.on('web-contents-created', (_event, contents) => confine(contents))
}

function confine(contents: WebContents): void {
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
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

/** The page may copy to the clipboard, and nothing else. */
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
    // Electron asks the operator for the path; the page only proposes a name.
    item.once('done', (_event, state) => {
      if (state === 'interrupted') reportUnsaved()
    })
  })
  session.webRequest.onBeforeRequest((details, answer) => {
    const cancel = !mayRequest(details.url)
    if (cancel) log('a request to the network was denied')
    answer({ cancel })
  })
}

/** The page is done when it hands the file over, and never learns that it was not written. */
function reportUnsaved(): void {
  log('a file could not be saved')
  void dialog.showMessageBox({
    type: 'error',
    message: 'The file was not saved.',
    detail: 'The disk may be full or the folder read-only. Save the file again elsewhere.',
  })
}

/** A frame shows what the page wrote into it, the preview of a report, and never loads anything. */
export function mayFrame(url: string): boolean {
  return url === 'about:srcdoc'
}

/** Files that the page made: plans, lists and reports. */
export function mayDownload(url: string): boolean {
  return url.startsWith('blob:') && isOwnUrl(url.slice('blob:'.length))
}

/** Our files, what the page makes itself, and the developer tools. */
export function mayRequest(url: string): boolean {
  if (url.startsWith('blob:')) return isOwnUrl(url.slice('blob:'.length))
  return isOwnUrl(url) || url.startsWith('devtools://') || url.startsWith('data:')
}
