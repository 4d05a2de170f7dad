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

/** A longer one is none of ours, and not worth the memory. */
export const LONGEST_LINE_BYTES = 4 * 1024 * 1024

export type Link = { readonly seq: number; readonly hash: string }

const lineSchema = z.looseObject({
  seq: z.number().int().min(1),
  at: z.string(),
  event: z.string(),
})
export type Line = z.infer<typeof lineSchema>

export const chainLineSchema = z.looseObject({
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

/** What the line says its hash is; null when it says nothing of the kind. */
export function hashIn(line: Buffer): string | null {
  return SEALED.exec(line.toString('latin1', Math.max(0, line.length - SEAL_BYTES)))?.[1] ?? null
}

/** Whether a line is what was written after `prev`. `prev` of null means that it is a first line, which names its own. */
export function checkLine(
  line: Buffer,
  prev: Link | null,
): { line: Line; link: Link } | { why: string; stored: string | null } {
  const stored = hashIn(line)
  const bad = (why: string) => ({ why, stored })
  const parsed = lineSchema.safeParse(parseJson(line))
  if (!parsed.success) return bad('this is no line of an audit log')
  if (stored === null) return bad('it does not end with a hash')
  let before = prev?.hash ?? ''
  if (prev === null) {
    const chain = chainLineSchema.safeParse(parsed.data)
    if (!chain.success) return bad('a file begins with a line of the kind "chain", and this is none')
    before = chain.data.prev ?? ''
  }
  if (hashOf(before, line.subarray(0, line.length - SEAL_BYTES)) !== stored)
    return bad('it was changed, or a line before it was removed, added or moved: the hash does not fit')
  const { seq } = parsed.data
  if (prev !== null && seq !== prev.seq + 1)
    return bad(`its number is ${seq}, and ${prev.seq + 1} should follow`)
  return { line: parsed.data, link: { seq, hash: stored } }
}

function hashOf(prev: string, body: string | Buffer): string {
  return createHash('sha256').update(prev).update(body).digest('hex')
}
