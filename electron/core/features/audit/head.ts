import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf, parseJson } from '../../files/disk.ts'
import { numberOf } from './files.ts'

export const HEAD_FILE = 'audit-head.json'

const headSchema = z.object({
  file: z.string().refine(name => numberOf(name) !== null),
  seq: z.number().int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})
export type Head = z.infer<typeof headSchema>

export type HeadReading =
  | { readonly is: 'head'; readonly head: Head }
  | { readonly is: 'missing' | 'unreadable' }

/** The last line that was written. A chain alone cannot tell that lines are missing at its end; this can. */
export async function readHead(folder: string): Promise<HeadReading> {
  let text: string
  try {
    text = await readFile(join(folder, HEAD_FILE), 'utf8')
  } catch (error) {
    return { is: codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable' }
  }
  const parsed = headSchema.safeParse(parseJson(text))
  return parsed.success ? { is: 'head', head: parsed.data } : { is: 'unreadable' }
}

/** Only under the lock. Without a flush: after a power cut the head may be behind, and that is no harm. */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const file = join(folder, HEAD_FILE)
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(head)}\n`)
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
}
