import { createHash } from 'node:crypto'
import { z } from 'zod'
import { safeJson } from '../../../../shared/safe-text.ts'
import { parseJson } from '../../files/disk.ts'

/**
 * The rule of the chain, to the byte. A line is one JSON object whose last member is its hash; the hash is the SHA-256 of
 * the hash of the line before (64 hex digits, nothing before the first line of a chain) followed by the line's own bytes
 * up to the comma before `"hash"`. docs/audit.md tells auditors the same.
 */
const SEALED = /,"hash":"([0-9a-f]{64})"\}$/
const SEAL_BYTES = ',"hash":""}'.length + 64

export type Link = { readonly seq: number; readonly hash: string }

const lineSchema = z.looseObject({
  seq: z.number().int().min(1),
  at: z.string(),
  event: z.string(),
})

const chainLineSchema = z.looseObject({
  event: z.literal('chain'),
  file: z.string(),
  prev: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  because: z.string().nullable(),
  damaged: z
    .object({ file: z.string(), line: z.number().int().nullable(), why: z.string() })
    .nullish()
    .catch(null),
})
export type ChainLine = z.infer<typeof chainLineSchema>

export function sealLine(prev: string, fields: Record<string, unknown>): { line: string; hash: string } {
  const body = safeJson(fields).slice(0, -1)
  const hash = hashOf(prev, body)
  return { line: `${body},"hash":"${hash}"}\n`, hash }
}

/** The hash that the line states; null if it states none. */
export function hashIn(line: Buffer): string | null {
  return SEALED.exec(line.toString('latin1', Math.max(0, line.length - SEAL_BYTES)))?.[1] ?? null
}

/** The line, if it was written after `prev`; otherwise why not. A `prev` of null requires a first line, which names its own. */
export function checkLine(
  line: Buffer,
  prev: Link | null,
): { readonly at: string; readonly link: Link; readonly chain: ChainLine | null } | string {
  const parsed = lineSchema.safeParse(parseJson(line))
  if (!parsed.success) return 'this is not a line of an audit log'
  const { seq, at } = parsed.data
  const hash = hashIn(line)
  if (hash === null) return 'it does not end with a hash'
  const chain = prev === null ? chainLineSchema.safeParse(parsed.data).data : null
  if (chain === undefined) return 'a file starts with a line of the kind "chain", and this is another'
  const before = prev?.hash ?? chain?.prev ?? ''
  if (hashOf(before, line.subarray(0, line.length - SEAL_BYTES)) !== hash)
    return 'it was changed, or a line before it was removed, added or moved: the hash does not match'
  if (prev !== null && seq !== prev.seq + 1) return `its number is ${seq} instead of ${prev.seq + 1}`
  return { at, link: { seq, hash }, chain }
}

function hashOf(prev: string, body: string | Buffer): string {
  return createHash('sha256').update(prev).update(body).digest('hex')
}
