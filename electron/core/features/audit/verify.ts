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

/** Reads and checks the whole log. Locks and writes nothing, so it also works in a read-only folder. */
export async function verifyLog(folder: string, signal: AbortSignal): Promise<AuditVerdict> {
  // The head first: lines written meanwhile can only make it seem behind.
  const reading = await readHead(folder)
  const head = typeof reading === 'string' ? null : reading
  const numbers = await fileNumbers(folder).catch(failToRead)
  const parts: Part[] = []
  for (const number of numbers) {
    const expected = (parts.at(-1)?.to ?? 0) + 1
    if (number > expected) parts.push(gap(expected, number - 1))
    const before = parts.at(-1)
    const part = await readPart(folder, number, head, number === numbers.at(-1), signal)
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
  return {
    ok: files.every(({ state }) => state === 'ok' || state === 'unchained') && position.status !== 'ahead',
    files,
    head: { ...position, file: head?.file ?? null, seq: head?.seq ?? null, hash: head?.hash ?? null },
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
  }
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

async function readPart(
  folder: string,
  number: number,
  head: Head | null,
  isNewest: boolean,
  signal: AbortSignal,
): Promise<Part> {
  const name = fileName(number)
  const path = pathOf(folder, number)
  const known = head?.file === name ? head : null
  const part = { name, from: number, to: number, isMissing: false }
  try {
    let check = await checkFile(path, name, { known, signal })
    for (let reads = 1; isNewest && check.damage !== null && reads < MOST_READS; reads++) {
      const isLocked = await stat(join(folder, LOCK_FILE)).catch(() => null)
      if (!isLocked && (await stat(path)).size === check.size) break
      await sleep(READ_AGAIN_MS)
      check = await checkFile(path, name, { known, signal })
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
    if (parts.length === 0) return { status: 'none-yet', says: 'Nothing has been recorded yet' }
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
