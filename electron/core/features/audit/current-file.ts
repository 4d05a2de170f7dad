import { stat } from 'node:fs/promises'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { codeOf } from '../../files/disk.ts'
import { checkFile } from './check-file.ts'
import { fileName, fileNumbers, numberOf, pathOf } from './files.ts'
import { readHead } from './head.ts'
import type { Link } from './line.ts'

/** The file that is written to, sound up to `size`. `touched` is when anything was last done to it, whoever did it. */
export type CurrentFile = {
  readonly number: number
  readonly size: number
  readonly touched: bigint
  readonly link: Link
}

/** Why a new file begins. Without `after`, a new chain does. */
export type Beginning = {
  readonly number: number
  readonly after: Link | null
  readonly because: string | null
  readonly damaged: (AuditDamage & { readonly file: string }) | null
}

/** A head may name any number; a file that far away was never written. */
const FARTHEST = 1000

/** Checks the file that was written last as a whole, and whether it is all that the head knows of. Only under the lock. */
export async function findCurrent(folder: string): Promise<CurrentFile | Beginning> {
  const reading = await readHead(folder)
  const head = reading.is === 'head' ? reading.head : null
  const number = (await fileNumbers(folder)).at(-1) ?? 0
  const headNumber = head ? (numberOf(head.file) ?? 0) : 0
  if (head && headNumber > number) {
    const damaged = { file: head.file, line: null, why: 'the file is missing' }
    const next = headNumber - number < FARTHEST ? headNumber + 1 : number + 1
    return { number: next, after: null, because: sayDamage(damaged), damaged }
  }
  if (number === 0) return { number: 1, after: null, because: 'the first of all', damaged: null }
  const file = fileName(number)
  const check = await checkFile(pathOf(folder, number), file, { known: head?.file === file ? head : null })
  if (check.damage !== null || check.last === null) {
    const damaged = { file, ...(check.damage ?? { line: null, why: 'the file is empty' }) }
    return { number: number + 1, after: null, because: sayDamage(damaged), damaged }
  }
  if (head === null)
    return {
      number: number + 1,
      after: check.last,
      because: `the head was ${reading.is}, so that nobody can say whether lines are missing at the end of ${file}`,
      damaged: null,
    }
  const { ctimeNs } = await stat(pathOf(folder, number), { bigint: true })
  return { number, size: check.size, touched: ctimeNs, link: check.last }
}

/**
 * The same as cheaply as can be, for a file that this process wrote to before: what others added is checked, and what was
 * touched otherwise is checked as a whole.
 */
export async function findAgain(folder: string, known: CurrentFile): Promise<CurrentFile | Beginning> {
  const path = pathOf(folder, known.number)
  const [now, next] = await Promise.all([
    stat(path, { bigint: true }).catch(nullIfMissing),
    stat(pathOf(folder, known.number + 1)).catch(nullIfMissing),
  ])
  if (now === null || next !== null || now.size < known.size) return findCurrent(folder)
  if (now.size === BigInt(known.size)) return now.ctimeNs === known.touched ? known : findCurrent(folder)
  const added = await checkFile(path, fileName(known.number), { from: known })
  // Counted from where we began: the whole file tells which line it is.
  if (added.damage !== null || added.last === null) return findCurrent(folder)
  return { ...known, size: added.size, touched: now.ctimeNs, link: added.last }
}

export function sayDamage({ file, line, why }: AuditDamage & { readonly file: string }): string {
  return line === null ? `${file} is damaged: ${why}` : `${file} is damaged at line ${line}: ${why}`
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}
