import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf, parseJson, replaceFile } from '../../files/disk.ts'
import { StoreError } from '../../lib/errors.ts'

const NAME = /^audit-(\d{6,12})\.jsonl$/

/** Exists while a process writes. */
export const LOCK_FILE = 'audit.lock'

/** Written by versions before the chain. */
export const UNCHAINED = 'audit.jsonl'

const HEAD_FILE = 'audit-head.json'

export function fileName(number: number): string {
  return `audit-${String(number).padStart(6, '0')}.jsonl`
}

/** Null for files that are not part of the log. */
export function numberOf(name: string): number | null {
  const digits = NAME.exec(name)?.[1]
  return digits !== undefined && fileName(Number(digits)) === name ? Number(digits) : null
}

/** The numbers of the existing files, in order; none without the folder. */
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

export function failToRead(error: unknown): never {
  throw new StoreError('STORE_ERROR', `The audit log cannot be read (${codeOf(error)})`, { cause: error })
}

const headSchema = z.object({
  file: z.string().refine(name => numberOf(name) !== null),
  seq: z.number().int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})
export type Head = z.infer<typeof headSchema>

/** The last line that was written, or why it is unknown. A chain alone cannot tell that lines are missing at its end. */
export async function readHead(folder: string): Promise<Head | 'missing' | 'unreadable'> {
  try {
    const text = await readFile(join(folder, HEAD_FILE), 'utf8')
    return headSchema.safeParse(parseJson(text)).data ?? 'unreadable'
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable'
  }
}

/** Only under the lock. Without a flush: after a power cut the head may be behind, which is harmless. */
export async function writeHead(folder: string, head: Head): Promise<void> {
  await replaceFile(join(folder, HEAD_FILE), `${JSON.stringify(head)}\n`, { flush: false })
}
