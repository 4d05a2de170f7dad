import { MINUTE_MS } from '../../shared/duration.ts'

/** The minute of a time, for a file name. */
export function fileTime(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replaceAll(/[-:]/g, '').replace('T', '-')
}

/** By the ending of the file's name. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv;charset=utf-8',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  md: 'text/markdown',
  pdf: 'application/pdf',
}

/** Saves a file through the browser's downloads or the window's save dialog. */
export function saveFile(name: string, parts: string | readonly BlobPart[]): void {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? ''
  const url = URL.createObjectURL(new Blob(typeof parts === 'string' ? [parts] : [...parts], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download reads the URL later, well within a minute.
  setTimeout(() => URL.revokeObjectURL(url), MINUTE_MS)
}
