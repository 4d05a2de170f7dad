import { stat } from 'node:fs/promises'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { codeOf } from '../../files/disk.ts'
import { checkFile } from './check-file.ts'
import { fileName, fileNumbers, numberOf, pathOf, readHead } from './files.ts'
import type { Link } from './line.ts'

/** The file that is written to, sound up to `size`. `touched` is when any process last changed it in any way. */
export type CurrentFile = {
  readonly number: number
  readonly size: number
  readonly touched: bigint
  readonly link: Link
}

/** A new file, and why it starts. Without `after`, it starts a new chain. */
export type NextFile = {
  readonly number: number
  readonly after: Link | null
  readonly because: string | null
  readonly damaged: (AuditDamage & { readonly file: string }) | null
}

/** A head may name any number; a file that far away was never written. */
const FARTHEST = 1000

/** Checks the whole newest file, and that it has the line of the head. Only under the lock. */
export async function findCurrent(folder: string): Promise<CurrentFile | NextFile> {
  const head = await readHead(folder)
  const number = (await fileNumbers(folder)).at(-1) ?? 0
  const known = typeof head === 'string' ? null : head
  const headNumber = known ? (numberOf(known.file) ?? 0) : 0
  if (known && headNumber > number) {
    const next = headNumber - number < FARTHEST ? headNumber + 1 : number + 1
    return fileAfterDamage(next, known.file, { line: null, why: 'the file is missing' })
  }
  if (number === 0) return { number: 1, after: null, because: 'Log started', damaged: null }
  const file = fileName(number)
  const { damage, last, size } = await checkFile(pathOf(folder, number), file, {
    known: known?.file === file ? known : null,
  })
  if (damage !== null || last === null)
    return fileAfterDamage(number + 1, file, damage ?? { line: null, why: 'the file is empty' })
  if (known === null) {
    const because = `the head was ${head}, so lines may be missing at the end of ${file}`
    return { number: number + 1, after: last, because, damaged: null }
  }
  const { ctimeNs } = await stat(pathOf(folder, number), { bigint: true })
  return { number, size, touched: ctimeNs, link: last }
}

/**
 * The same at the lowest cost, for a file that this process wrote to before: lines that others added are checked, and a file
 * that was touched in another way is checked as a whole.
 */
export async function findAgain(folder: string, known: CurrentFile): Promise<CurrentFile | NextFile> {
  const path = pathOf(folder, known.number)
  const [now, next] = await Promise.all([
    stat(path, { bigint: true }).catch(nullIfMissing),
    stat(pathOf(folder, known.number + 1)).catch(nullIfMissing),
  ])
  if (now === null || next !== null || now.size < known.size) return findCurrent(folder)
  if (now.size === BigInt(known.size)) return now.ctimeNs === known.touched ? known : findCurrent(folder)
  const added = await checkFile(path, fileName(known.number), { from: known })
  // Its damage is counted from the added lines: a check of the whole file gives the number of the line.
  if (added.damage !== null || added.last === null) return findCurrent(folder)
  return { ...known, size: added.size, touched: now.ctimeNs, link: added.last }
}

function fileAfterDamage(number: number, file: string, { line, why }: AuditDamage): NextFile {
  const where = line === null ? '' : ` at line ${line}`
  return {
    number,
    after: null,
    because: `${file} is damaged${where}: ${why}`,
    damaged: { file, line, why },
  }
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}
