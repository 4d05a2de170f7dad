import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { REPORT_STYLE } from '../../core/features/reports/html-style.ts'

/** The preview of a report is a frame under the page's own policy, and a report has its style in itself: this one, and no other. */
const REPORT_STYLE_HASH = `'sha256-${createHash('sha256').update(REPORT_STYLE).digest('base64')}'`

/** What the page may do: run and load what was built with it, and talk to where it came from. Nothing else. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${REPORT_STYLE_HASH}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** On every answer, whatever it is. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=(), clipboard-read=(), clipboard-write=(self)',
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.txt': 'text/plain; charset=utf-8',
}

export type StaticFile = {
  readonly body: Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}
/** By path, as a URL has it. */
export type StaticFiles = ReadonlyMap<string, StaticFile>

/** The page that was built is not there: the one sentence for it. */
export class NotBuilt extends Error {
  constructor() {
    super('The page of the console is not built; npm run build makes it')
  }
}

/**
 * Reads the built page into memory. Requests are then looked up and never turned into file names, so no path leads
 * anywhere else, and a build in the meantime does not mix old files with new ones.
 */
export function loadStaticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>()
  try {
    collect(folder, '/', files)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const page = files.get('/index.html')
  if (!page) throw new NotBuilt()
  return files.set('/', page)
}

function collect(folder: string, path: string, into: Map<string, StaticFile>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name)
    if (entry.isDirectory()) collect(file, `${path}${entry.name}/`, into)
    else if (entry.isFile()) {
      const type = TYPES[extname(entry.name)] ?? 'application/octet-stream'
      // What is in assets has its content's hash in its name.
      const caching = path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store'
      into.set(`${path}${entry.name}`, {
        body: Buffer.from(readFileSync(file)),
        headers: { ...SECURITY_HEADERS, 'Content-Type': type, 'Cache-Control': caching },
      })
    }
  }
}

/** A page of plain words, for when the console itself cannot be shown. Needs no script, no style and no icon. */
export function plainPage(title: string, words: string, extra = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">${extra}<title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(words)}</p><p><a href="/">Open the console</a></p></body>
</html>
`
}

export const PLAIN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}
