import { randomBytes } from 'node:crypto'
import { BrowserWindow } from 'electron'
import type { PrintPdf } from '../core/features/reports/reports.ts'
import { aborted, StoreError } from '../core/lib/errors.ts'
import { ORIGIN } from './channel.ts'
import { log } from './log.ts'

const PRINT_PATH = '/print/'
/** A page of thousands of rows takes seconds; one that takes longer will not come. */
const PATIENCE_MS = 120_000

/** Pages that wait to be printed, each handed out once, by an address that nobody can guess. */
export type Printer = {
  readonly print: PrintPdf
  take(path: string): string | null
}

/** Prints in a window that nobody sees, which runs no script and is gone afterwards. */
export function createPrinter(): Printer {
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
        // Nobody looks at it: without this it would be drawn only when there is time.
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
      throw new StoreError('INTERNAL', 'The report could not be printed: save it as HTML, and print that', {
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
    take(path) {
      const html = pages.get(path) ?? null
      pages.delete(path)
      return html
    },
  }
}
