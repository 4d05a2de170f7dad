import { randomBytes } from 'node:crypto'
import { BrowserWindow } from 'electron'
import { aborted, StoreError } from '../core/lib/errors.ts'
import { ORIGIN } from './channel.ts'
import { log } from './log.ts'

const PRINT_PATH = '/print/'
/** Thousands of rows take seconds; a page that takes longer than this is stuck. */
const PATIENCE_MS = 120_000

/** Prints in a hidden window without scripts, which is destroyed afterwards. */
export function createPrinter() {
  /** Each page is served once, at an address that cannot be guessed. */
  const pages = new Map<string, string>()

  async function print(html: string, signal: AbortSignal): Promise<Buffer> {
    if (signal.aborted) throw aborted()
    const path = `${PRINT_PATH}${randomBytes(16).toString('hex')}`
    const window = new BrowserWindow({
      show: false,
      webPreferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        javascript: false,
        images: false,
        webgl: false,
        spellcheck: false,
        // A hidden window is drawn slowly otherwise.
        backgroundThrottling: false,
      },
    })
    const stop = () => {
      if (!window.isDestroyed()) window.destroy()
    }
    const patience = setTimeout(stop, PATIENCE_MS)
    signal.addEventListener('abort', stop, { once: true })
    pages.set(path, html)
    try {
      await window.loadURL(`${ORIGIN}${path}`)
      return await window.webContents.printToPDF({
        printBackground: true,
        preferCSSPageSize: true,
        generateTaggedPDF: true,
      })
    } catch (error) {
      if (signal.aborted) throw aborted()
      log(`a report could not be printed (${error instanceof Error ? error.message : 'unknown'})`)
      throw new StoreError('INTERNAL', 'The report could not be printed. Save it as HTML and print that.', {
        cause: error,
      })
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', stop)
      pages.delete(path)
      stop()
    }
  }

  return {
    print,
    take(path: string): string | null {
      const html = pages.get(path) ?? null
      pages.delete(path)
      return html
    },
  }
}
