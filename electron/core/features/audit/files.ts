import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../files/disk.ts'

const NAME = /^audit-(\d{6,12})\.jsonl$/

/** There while somebody writes. */
export const LOCK_FILE = 'audit.lock'

/** What versions before the chain wrote. */
export const UNCHAINED = 'audit.jsonl'

export function fileName(number: number): string {
  return `audit-${String(number).padStart(6, '0')}.jsonl`
}

/** Null for what is no file of the log. */
export function numberOf(name: string): number | null {
  const found = NAME.exec(name)?.[1]
  return found !== undefined && fileName(Number(found)) === name ? Number(found) : null
}

/** The numbers of the files that are there, in order. A folder that is not there has none. */
export async function fileNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(error => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  return names
    .map(numberOf)
    .filter(number => number !== null)
    .sort((a, b) => a - b)
}

export function pathOf(folder: string, number: number): string {
  return join(folder, fileName(number))
}
