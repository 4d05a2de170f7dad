import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, type BrowserWindow, dialog, protocol, safeStorage, session } from 'electron'
import { AddressError } from '../shared/address.ts'
import { dataFolder } from './core/files/data-folder.ts'
import { reportCrashes } from './core/lib/crash-report.ts'
import { quietClients } from './core/lib/quiet-clients.ts'
import { atMost } from './core/lib/timers.ts'
import { createHostCore, readVersion } from './hosts/console/core.ts'
import { readStart } from './hosts/console/start.ts'
import { loadStaticFiles, NotBuilt } from './hosts/http/static-files.ts'
import { withoutSecrets } from './hosts/start/passwords.ts'
import { StartError } from './hosts/start/start-error.ts'
import { followAlerts } from './shell/alerts.ts'
import { HOME } from './shell/channel.ts'
import { confineEveryPage, confineSession, silenceChromium } from './shell/lockdown.ts'
import { log } from './shell/log.ts'
import { setMenu } from './shell/menu.ts'
import { connectPage } from './shell/page-session.ts'
import { createPrinter } from './shell/print-pdf.ts'
import { declareProtocol, serveProtocol } from './shell/protocol.ts'
import { keyringVault } from './shell/vault.ts'
import { createWindow } from './shell/window.ts'

/** A store that hangs must not keep the window open. */
const CLOSING_MS = 1500

const distFolder = fileURLToPath(new URL('..', import.meta.url))
const folder = dataFolder(process.env)
mkdirSync(folder, { recursive: true, mode: 0o700 })

app.setName('Lockkeeper')
app.setAboutPanelOptions({ applicationName: 'Lockkeeper', applicationVersion: readVersion(distFolder) })
// Chromium's files are in the data folder too: one folder is one console, and its lock allows one instance.
app.setPath('userData', join(folder, 'electron'))
// An operator who looks at locks is better off with the window than without.
reportCrashes(() => {})
quietClients()
silenceChromium(app)
declareProtocol()
confineEveryPage()

if (app.requestSingleInstanceLock()) {
  try {
    run()
  } catch (error) {
    giveUp(error)
  }
} else {
  log('Lockkeeper is already open: its window was brought to the front')
  app.exit(0)
}

function run(): void {
  let window: BrowserWindow | null = null
  app.on('second-instance', () => {
    if (window?.isMinimized()) window.restore()
    window?.focus()
  })
  const start = readStart(process.env)
  // Chromium's processes must not inherit them.
  const others = withoutSecrets(process.env)
  for (const name of Object.keys(process.env)) if (!(name in others)) delete process.env[name]
  const files = loadStaticFiles(join(distFolder, 'renderer'))

  void app
    .whenReady()
    .then(async () => {
      confineSession(session.defaultSession)
      const printer = createPrinter()
      serveProtocol(protocol, files, path => printer.take(path))
      const core = createHostCore(process.env, distFolder, {
        host: 'electron',
        vault: keyringVault(safeStorage),
        start,
        printPdf: printer.print,
      })
      window = createWindow({ preload: join(distFolder, 'node', 'preload.cjs'), dataFolder: folder })
      setMenu(() => window)
      const disconnect = connectPage(window.webContents, core)
      const unfollow = followAlerts(core, window)
      window.once('closed', () => {
        window = null
      })
      app.once('will-quit', event => {
        event.preventDefault()
        disconnect()
        unfollow()
        void atMost(CLOSING_MS, core.close()).then(() => app.exit(0))
      })
      await window.loadURL(HOME).catch(() => {})
    })
    .catch(giveUp)
  app.on('window-all-closed', () => app.quit())
}

function giveUp(error: unknown): void {
  const known = error instanceof StartError || error instanceof AddressError || error instanceof NotBuilt
  const words = known ? error.message : 'Unexpected error while opening the window'
  log(words)
  // A packaged program has no terminal to read this on.
  if (app.isPackaged) dialog.showErrorBox('Lockkeeper', words)
  app.exit(known ? 2 : 1)
}
