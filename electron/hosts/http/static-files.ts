import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { REPORT_STYLE } from '../../core/features/reports/write-html.ts'

/** The preview of a report is a frame under the page's policy; the report's own style sheet is the only inline one allowed. */
const REPORT_STYLE_HASH = `'sha256-${createHash('sha256').update(REPORT_STYLE).digest('base64')}'`

/** The page may load and run its own files, and connect to its own host. */
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

/** Sent with every answer. */
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
/** By URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>

export class NotBuilt extends Error {
  constructor() {
    super('The console page is not built: run npm run build')
  }
}

/**
 * Reads the built page into memory. Requests are looked up there and never become file names, so no path leads elsewhere, and a
 * later build cannot mix old files with new ones.
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
      // Names in assets contain a hash of the content.
      const caching = path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store'
      into.set(`${path}${entry.name}`, {
        body: Buffer.from(readFileSync(file)),
        headers: { ...SECURITY_HEADERS, 'Content-Type': type, 'Cache-Control': caching },
      })
    }
  }
}

/** A page without script, style or icon, for when the console itself cannot be shown. */
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
