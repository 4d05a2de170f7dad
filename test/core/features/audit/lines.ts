import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type AuditLine = Record<string, unknown> & { seq: number; event: string; hash: string }

export function auditFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => /^audit-\d+\.jsonl$/.test(name))
    .sort()
}

/** The text of all files of the log, in order. */
export function auditText(folder: string): string {
  return auditFiles(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

/** The entries, without the lines that the log writes about itself. */
export function auditLines(folder: string): AuditLine[] {
  return auditText(folder)
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as AuditLine)
    .filter(({ event }) => event !== 'chain')
}
