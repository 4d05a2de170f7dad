import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { z } from 'zod'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { parseJson } from '../../files/disk.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { linesForward, type RawLine } from './lines.ts'

/**
 * The rule of the chain, to the byte. A line is one JSON object whose last member is its hash; the hash is the SHA-256 of
 * the hash of the line before (64 hex digits, nothing before the first line of a chain) followed by the line's own bytes
 * up to the comma before `"hash"`. docs/audit.md documents it for auditors.
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
type ChainLine = z.infer<typeof chainLineSchema>

export function sealLine(prev: string, fields: Record<string, unknown>): { line: string; hash: string } {
  const body = safeJson(fields).slice(0, -1)
  const hash = hashOf(prev, body)
  return { line: `${body},"hash":"${hash}"}\n`, hash }
}

/** The hash that the line states; null if it states none. */
function hashIn(line: Buffer): string | null {
  return SEALED.exec(line.toString('latin1', Math.max(0, line.length - SEAL_BYTES)))?.[1] ?? null
}

function hashOf(prev: string, body: string | Buffer): string {
  return createHash('sha256').update(prev).update(body).digest('hex')
}

export type FileCheck = {
  lines: number
  firstAt: string | null
  lastAt: string | null
  /** Its first line, if intact. */
  chain: ChainLine | null
  /** The last intact line. */
  last: Link | null
  /** The hash that the last line states, intact or not. */
  lastStored: string | null
  /** Whether the noted hash is that of an intact line. */
  hasNoted: boolean
  readonly size: number
  damage: AuditDamage | null
}

type CheckOptions = {
  /** A line that must be in the file, with this hash. */
  readonly known?: Link | null
  /** A hash to look for. */
  readonly noted?: string | undefined
  /** Where to start, if everything before is known to be intact. */
  readonly from?: { readonly size: number; readonly link: Link }
  readonly signal?: AbortSignal
}

/** Reads a file of the log from its start and follows the chain. After the first damage, lines are only counted. */
export async function checkFile(
  path: string,
  name: string,
  { known, noted, from, signal }: CheckOptions = {},
): Promise<Readonly<FileCheck>> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const check: FileCheck = {
      lines: 0,
      firstAt: null,
      lastAt: null,
      chain: null,
      last: from?.link ?? null,
      lastStored: null,
      hasNoted: false,
      size,
      damage: null,
    }
    for await (const batch of linesForward(handle, from?.size ?? 0, size)) {
      if (signal) throwIfAborted(signal)
      for (const line of batch) {
        check.lines++
        check.lastStored = hashIn(line.bytes)
        const why = check.damage ? null : follow(check, line, name, known)
        if (why !== null) check.damage = { line: check.lines, why }
        else if (check.damage === null && check.lastStored === noted) check.hasNoted = true
      }
    }
    const { last } = check
    const missing = known && last ? known.seq - last.seq : 0
    if (last === null) check.damage ??= { line: null, why: 'the file is empty' }
    else if (missing > 0) check.damage ??= { line: null, why: sayMissing(missing) }
    return check
  } finally {
    await handle.close()
  }
}

/** Adds the next line to the check, or returns why it is not the next line. The first line names its own predecessor. */
function follow(
  check: FileCheck,
  { bytes, ended }: RawLine,
  name: string,
  known?: Link | null,
): string | null {
  if (!ended) return 'it is cut off: its end was never written, or was removed'
  const parsed = lineSchema.safeParse(parseJson(bytes))
  if (!parsed.success) return 'this is not a line of an audit log'
  const { seq, at } = parsed.data
  const hash = hashIn(bytes)
  if (hash === null) return 'it does not end with a hash'
  const prev = check.last
  const chain = prev === null ? chainLineSchema.safeParse(parsed.data).data : null
  if (chain === undefined) return 'a file starts with a line of the kind "chain", and this is another'
  const before = prev?.hash ?? chain?.prev ?? ''
  if (hashOf(before, bytes.subarray(0, bytes.length - SEAL_BYTES)) !== hash)
    return 'it was changed, or a line before it was removed, added or moved: the hash does not match'
  if (prev !== null && seq !== prev.seq + 1) return `its number is ${seq} instead of ${prev.seq + 1}`
  if (chain) {
    check.chain = chain
    if (chain.file !== name) return 'it states that it is the first line of another file'
  }
  check.last = { seq, hash }
  check.firstAt ??= at
  check.lastAt = at
  return known?.seq === seq && known.hash !== hash
    ? 'it is not the line that was written here: the head has another hash for it'
    : null
}

function sayMissing(count: number): string {
  return count === 1 ? 'the last line is missing' : `the last ${count} lines are missing`
}
