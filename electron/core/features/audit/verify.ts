import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditDamage, AuditFile, AuditVerdict } from '../../../../shared/audit.ts'
import { codeOf } from '../../files/disk.ts'
import { StoreError } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { checkFile, type FileCheck } from './chain.ts'
import {
  failToRead,
  fileName,
  fileNumbers,
  type Head,
  LOCK_FILE,
  numberOf,
  pathOf,
  readHead,
  UNCHAINED,
} from './files.ts'

/** A line that is being written may be incomplete. */
const MOST_READS = 5
const READ_AGAIN_MS = 60

/** A file of the log, or a gap in the numbers of the files. */
type Part = {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Null for missing and unreadable files. */
  readonly check: Readonly<FileCheck> | null
  readonly damages: AuditDamage[]
  readonly isMissing: boolean
}

/**
 * Reads and checks the whole log. Locks and writes nothing, so it also works in a read-only folder. `noted` is the hash of a line
 * that was noted elsewhere, and must be in the log.
 */
export async function verifyLog(folder: string, signal: AbortSignal, noted?: string): Promise<AuditVerdict> {
  // The head first: lines written meanwhile can only make it seem behind.
  const reading = await readHead(folder)
  const head = typeof reading === 'string' ? null : reading
  const numbers = await fileNumbers(folder).catch(failToRead)
  const parts: Part[] = []
  for (const number of numbers) {
    const expected = (parts.at(-1)?.to ?? 0) + 1
    if (number > expected) parts.push(gap(expected, number - 1))
    const before = parts.at(-1)
    const part = await readPart({ folder, number, head, noted, isNewest: number === numbers.at(-1), signal })
    const prev = part.check?.chain?.prev ?? null
    // The next file remembers where this one ended.
    if (before?.check?.damage === null && prev !== null && prev !== before.check.lastStored)
      before.damages.push({ line: null, why: 'lines are missing at its end: the next file does not follow' })
    parts.push(part)
  }
  if (head && !partOf(parts, head.file)) parts.push(missing(head.file))
  // Damage that a writer recorded stays damage, even if it is no longer visible.
  for (const { check } of [...parts]) {
    if (!check?.chain?.damaged) continue
    const { file, ...damage } = check.chain.damaged
    const part = partOf(parts, file)
    if (!part) parts.push(missing(file, damage))
    else if (part.damages.length === 0) part.damages.push(damage)
  }
  const files = [...(await unchainedFile(folder)), ...parts.map(fileOf)]
  const position = headPosition(reading, parts)
  const notedPart = parts.find(({ check }) => check?.hasNoted) ?? null
  const isDamaged =
    files.some(({ state }) => state === 'damaged' || state === 'missing') || position.status === 'ahead'
  const isWhole = ['ok', 'behind'].includes(position.status) && !parts.some(part => hasGap(part, notedPart))
  return {
    ok: isDamaged || (noted !== undefined && notedPart === null) ? false : isWhole || null,
    files,
    noted: noted === undefined ? null : (notedPart?.name ?? 'nowhere'),
    head: { ...position, file: head?.file ?? null, seq: head?.seq ?? null, hash: head?.hash ?? null },
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
  }
}

/** Lines may be missing before this file. A head that was noted later vouches for the log up to there. */
function hasGap({ check, from }: Part, noted: Part | null): boolean {
  const { prev = null, because = null } = check?.chain ?? {}
  return prev !== null && because !== null && from > (noted?.to ?? 0)
}

function gap(from: number, to: number): Part {
  const name = from === to ? fileName(from) : `${fileName(from)} to ${fileName(to)}`
  return { ...missing(name), from, to }
}

function missing(name: string, damage: AuditDamage = { line: null, why: 'the file is missing' }): Part {
  const number = numberOf(name) ?? 0
  return { name, from: number, to: number, check: null, damages: [damage], isMissing: true }
}

function partOf(parts: readonly Part[], file: string): Part | undefined {
  const number = numberOf(file) ?? 0
  return parts.find(({ from, to }) => from <= number && number <= to)
}

type PartRequest = {
  readonly folder: string
  readonly number: number
  readonly head: Head | null
  readonly noted: string | undefined
  readonly isNewest: boolean
  readonly signal: AbortSignal
}

async function readPart({ folder, number, head, noted, isNewest, signal }: PartRequest): Promise<Part> {
  const name = fileName(number)
  const path = pathOf(folder, number)
  const known = head?.file === name ? head : null
  const part = { name, from: number, to: number, isMissing: false }
  try {
    let check = await checkFile(path, name, { known, noted, signal })
    for (let reads = 1; isNewest && check.damage !== null && reads < MOST_READS; reads++) {
      const isLocked = await stat(join(folder, LOCK_FILE)).catch(() => null)
      if (!isLocked && (await stat(path)).size === check.size) break
      await sleep(READ_AGAIN_MS)
      check = await checkFile(path, name, { known, noted, signal })
    }
    return { ...part, check, damages: check.damage ? [check.damage] : [] }
  } catch (error) {
    if (error instanceof StoreError) throw error
    const damage = { line: null, why: `it cannot be read (${codeOf(error)})` }
    return { ...part, check: null, damages: [damage] }
  }
}

function fileOf({ name, check, damages, isMissing }: Part): AuditFile {
  const { lines = 0, firstAt = null, lastAt = null, chain = null } = check ?? {}
  const state = damages.length > 0 ? 'damaged' : 'ok'
  return {
    name,
    state: isMissing ? 'missing' : state,
    lines,
    firstAt,
    lastAt,
    begins: chain?.because ?? null,
    damages,
  }
}

async function unchainedFile(folder: string): Promise<AuditFile[]> {
  const file = await stat(join(folder, UNCHAINED)).catch(() => null)
  if (!file) return []
  const facts = { lines: 0, firstAt: null, lastAt: null, damages: [] }
  return [{ name: UNCHAINED, state: 'unchained', begins: 'older, not chained', ...facts }]
}

function headPosition(
  head: Awaited<ReturnType<typeof readHead>>,
  parts: readonly Part[],
): Pick<AuditVerdict['head'], 'status' | 'says'> {
  if (typeof head === 'string') {
    if (parts.length === 0)
      return {
        status: 'none-yet',
        says: 'There is no log here: either nothing was ever recorded, or all of it was removed',
      }
    const says = `The head is ${head}: lines may be missing at the end of the log`
    return { status: head, says }
  }
  const { file, seq, hash } = head
  const part = partOf(parts, file)
  // In a damaged file, the line of the head may be among those that could not be followed.
  if (!part?.check || part.damages.length > 0)
    return {
      status: 'ahead',
      says: `Line ${seq} of ${file}, which the head remembers, is missing or changed`,
    }
  const isLast = part === parts.findLast(({ isMissing }) => !isMissing)
  if (isLast && part.check.last?.hash === hash)
    return { status: 'ok', says: 'The last line is the one that the head remembers' }
  return { status: 'behind', says: 'Lines were written after the one that the head remembers' }
}
