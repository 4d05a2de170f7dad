import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditDamage, AuditFile, AuditVerdict } from '../../../../shared/audit.ts'
import { codeOf } from '../../files/disk.ts'
import { StoreError } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { checkFile, type FileCheck } from './check-file.ts'
import { fileName, fileNumbers, LOCK_FILE, numberOf, pathOf, UNCHAINED } from './files.ts'
import { type Head, type HeadReading, readHead } from './head.ts'

/** A line that somebody is writing just now is not there as a whole. */
const LOOKS = 5
const LOOK_AGAIN_MS = 60

type Found = {
  readonly name: string
  readonly check: FileCheck | null
  damages: AuditDamage[]
  missing: boolean
}

/** Reads everything and says what holds. Nothing is locked or written: it works where nothing can be written any more. */
export async function verifyLog(folder: string, signal: AbortSignal): Promise<AuditVerdict> {
  // The head first: what is written meanwhile can then only make it look behind.
  const reading = await readHead(folder)
  const head = reading.is === 'head' ? reading.head : null
  const numbers = await fileNumbers(folder).catch(error => {
    throw new StoreError('STORE_ERROR', `The audit log cannot be read (${codeOf(error)})`, { cause: error })
  })
  const found: Found[] = []
  let before: FileCheck | null = null
  let expected = 1
  for (const number of numbers) {
    if (number > expected) found.push(missing(expected, number - 1))
    const contiguous = number === expected
    const isLast = number === numbers.at(-1)
    const { check, unread } = await look(folder, number, head, isLast, signal)
    const last = found.at(-1)
    const prev = check?.chain?.prev ?? null
    // The next file remembers where this one ended.
    if (contiguous && last?.check && before?.damage === null && prev !== null && prev !== before.lastStored)
      last.damages.push({
        line: null,
        why: 'lines are missing at its end: the next file goes on from another one',
      })
    const damages = check?.damage ? [check.damage] : unread ? [unread] : []
    found.push({ name: fileName(number), check, damages, missing: false })
    before = check
    expected = number + 1
  }
  if (head && !numbers.includes(numberOf(head.file) ?? 0) && !found.some(each => covers(each, head.file)))
    found.push({ name: head.file, check: null, damages: [GONE], missing: true })
  addRecorded(found)
  const older = await olderFile(folder)
  const files = [...older, ...found.map(fileOf)]
  const said = sayHead(reading, found, head)
  return {
    ok: files.every(({ state }) => state === 'ok' || state === 'unchained') && said.status !== 'ahead',
    files,
    head: { ...said, file: head?.file ?? null, seq: head?.seq ?? null, hash: head?.hash ?? null },
    lines: found.reduce((sum, { check }) => sum + (check?.lines ?? 0), 0),
  }
}

const GONE: AuditDamage = { line: null, why: 'the file is missing' }

function missing(from: number, to: number): Found {
  const name = from === to ? fileName(from) : `${fileName(from)} to ${fileName(to)}`
  return { name, check: null, damages: [GONE], missing: true }
}

function covers(each: Found, file: string): boolean {
  if (!each.missing) return each.name === file
  const [from = '', to = from] = each.name.split(' to ')
  const number = numberOf(file) ?? 0
  return number >= (numberOf(from) ?? 0) && number <= (numberOf(to) ?? 0)
}

async function look(folder: string, number: number, head: Head | null, isLast: boolean, signal: AbortSignal) {
  const name = fileName(number)
  const known = head?.file === name ? head : null
  try {
    let check = await checkFile(pathOf(folder, number), name, { known, signal })
    for (let looks = 1; isLast && check.damage !== null && looks < LOOKS; looks++) {
      if (!(await isBeingWritten(folder, number, check.size))) break
      await sleep(LOOK_AGAIN_MS)
      check = await checkFile(pathOf(folder, number), name, { known, signal })
    }
    return { check, unread: null }
  } catch (error) {
    if (error instanceof StoreError) throw error
    return { check: null, unread: { line: null, why: `it cannot be read (${codeOf(error)})` } }
  }
}

async function isBeingWritten(folder: string, number: number, size: number): Promise<boolean> {
  const locked = await stat(join(folder, LOCK_FILE)).catch(() => null)
  return locked !== null || (await stat(pathOf(folder, number))).size !== size
}

/** What whoever wrote next found damaged stays so, even if it cannot be seen any more. */
function addRecorded(found: Found[]): void {
  for (const { check } of [...found]) {
    const damaged = check?.chain?.damaged
    if (!damaged) continue
    const { file, line, why } = damaged
    const known = found.find(each => covers(each, file))
    if (known) {
      if (known.damages.length === 0) known.damages.push({ line, why })
    } else found.push({ name: file, check: null, damages: [{ line, why }], missing: true })
  }
}

function fileOf({ name, check, damages, missing: isMissing }: Found): AuditFile {
  return {
    name,
    state: isMissing ? 'missing' : damages.length > 0 ? 'damaged' : 'ok',
    lines: check?.lines ?? 0,
    firstAt: check?.firstAt ?? null,
    lastAt: check?.lastAt ?? null,
    begins: check?.chain?.because ?? null,
    damages,
  }
}

async function olderFile(folder: string): Promise<AuditFile[]> {
  const there = await stat(join(folder, UNCHAINED)).catch(() => null)
  if (!there) return []
  const facts = { lines: 0, firstAt: null, lastAt: null, damages: [] }
  return [{ name: UNCHAINED, state: 'unchained', begins: 'older, not chained', ...facts }]
}

function sayHead(
  reading: HeadReading,
  found: readonly Found[],
  head: Head | null,
): Pick<AuditVerdict['head'], 'status' | 'says'> {
  if (head === null) {
    if (found.length === 0) return { status: 'none-yet', says: 'Nothing has been recorded yet' }
    const what = reading.is === 'missing' ? 'is missing' : 'cannot be understood'
    return {
      status: reading.is === 'missing' ? 'missing' : 'unreadable',
      says: `The head ${what}: whether lines are missing at the end cannot be told`,
    }
  }
  const its = found.find(each => each.name === head.file)
  const last = found.filter(each => !each.missing).at(-1)
  // Of a damaged file the line that the head knows may be among those that could not be followed.
  if (!its?.check || its.damages.length > 0)
    return {
      status: 'ahead',
      says: `The head knows line ${head.seq} of ${head.file}, and that is not there as it was`,
    }
  if (its === last && its.check.last?.hash === head.hash)
    return { status: 'ok', says: 'The last line is the one that the head knows' }
  return { status: 'behind', says: 'Lines were written after the one that the head knows' }
}
