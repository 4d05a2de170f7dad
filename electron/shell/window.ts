import { BrowserWindow, dialog, nativeTheme, screen } from 'electron'
import { HOME } from './channel.ts'
import { FAILED_PATH, type Failing, failedUrl } from './failed-page.ts'
import { log } from './log.ts'
import { isOwnUrl } from './sender.ts'
import { placeWindow, SMALLEST_WINDOW, windowStateFile } from './window-state.ts'

/** Afterwards the window is shown even if its page has drawn nothing, so that the program is seen to run. */
const PATIENCE_MS = 3000

export function createWindow(options: { readonly preload: string; readonly dataFolder: string }) {
  const stateFile = windowStateFile(options.dataFolder)
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter(display => display.id !== primary.id)
  const place = placeWindow(
    stateFile.read(),
    [primary, ...others].map(display => display.workArea),
  )
  const window = new BrowserWindow({
    ...place.bounds,
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
    fullscreen: place.fullScreen,
    title: 'Lockkeeper',
    show: false,
    // Avoids a white flash on a dark desktop before the page is drawn.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#14171a' : '#ffffff',
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  })
  if (place.maximized) window.maximize()
  const show = () => {
    clearTimeout(patience)
    if (!window.isDestroyed() && !window.isVisible()) window.show()
  }
  const patience = setTimeout(show, PATIENCE_MS)
  window.once('ready-to-show', show)
  window.once('closed', () => clearTimeout(patience))
  remember(window, stateFile)
  neverBlank(window)
  return window
}

function remember(window: BrowserWindow, file: ReturnType<typeof windowStateFile>): void {
  let waiting: NodeJS.Timeout | undefined
  const write = () => {
    clearTimeout(waiting)
    if (window.isDestroyed()) return
    file.write({
      ...window.getNormalBounds(),
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
    })
  }
  const later = () => {
    clearTimeout(waiting)
    waiting = setTimeout(write, 500)
  }
  window.on('resize', later)
  window.on('move', later)
  window.on('close', write)
  window.on('closed', () => clearTimeout(waiting))
}

/** Replaces a page that cannot be shown by the reason and a link back. */
function neverBlank(window: BrowserWindow): void {
  const { webContents } = window
  const fail = (why: Failing, words: string) => {
    log(words)
    // After the event: Chromium is still removing the old page.
    setImmediate(() => {
      // If the error page itself fails, retrying would never end.
      if (window.isDestroyed() || webContents.getURL().includes(FAILED_PATH)) return
      webContents.loadURL(failedUrl(why)).catch(() => {})
    })
  }
  webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    // -3 is a navigation that was denied or replaced by another.
    if (isMainFrame && code !== -3) fail('load', `the page could not be loaded (${description})`)
  })
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit') fail(reason === 'oom' ? 'memory' : 'crashed', `the page is gone (${reason})`)
  })
  webContents.on('preload-error', (_event, _path, error) =>
    fail('preload', `the preload script failed (${error.message})`),
  )
  // Chromium shows about:blank without asking.
  webContents.on('did-navigate', (_event, url) => {
    if (isOwnUrl(url)) return
    log('the page had gone elsewhere, and was loaded again')
    setImmediate(() => window.isDestroyed() || webContents.loadURL(HOME).catch(() => {}))
  })
  let asking: AbortController | null = null
  window.on('unresponsive', async () => {
    if (asking) return
    log('the page is not responding')
    // The operator decides: the page may be busy with many locks, or paused in the developer tools.
    asking = new AbortController()
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message: 'The console is not responding.',
      detail: 'Reloading changes no lock.',
      buttons: ['Wait', 'Reload'],
      signal: asking.signal,
    })
    const answered = !asking?.signal.aborted
    asking = null
    if (response !== 1 || !answered || window.isDestroyed()) return
    webContents.once('render-process-gone', () => setImmediate(() => webContents.loadURL(HOME)))
    webContents.forcefullyCrashRenderer()
  })
  window.on('responsive', () => asking?.abort())
}
