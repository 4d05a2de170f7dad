import { open } from 'node:fs/promises'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { type ChainLine, checkLine, hashIn, type Link } from './line.ts'
import { linesForward, type RawLine } from './lines.ts'

export type FileCheck = {
  lines: number
  firstAt: string | null
  lastAt: string | null
  /** Its first line, if that is sound. */
  chain: ChainLine | null
  /** The last sound line. */
  last: Link | null
  /** The hash that the last line states, sound or not. */
  lastStored: string | null
  readonly size: number
  damage: AuditDamage | null
}

type CheckOptions = {
  /** A line that is known to be in the file: with another hash, or without it, the file is another. */
  readonly known?: Link | null
  /** Where to start, if everything before is known to be sound. */
  readonly from?: { readonly size: number; readonly link: Link }
  readonly signal?: AbortSignal
}

/** Reads a file of the log from its start and follows the chain. After the first damage, lines are only counted. */
export async function checkFile(
  path: string,
  name: string,
  { known, from, signal }: CheckOptions = {},
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

/** Adds the next line to the check, or returns why it is not the next line. */
function follow(check: FileCheck, line: RawLine, name: string, known?: Link | null): string | null {
  if (!line.ended) return 'it is cut off: its end was never written, or was removed'
  const sound = checkLine(line.bytes, check.last)
  if (typeof sound === 'string') return sound
  const { link, chain, at } = sound
  if (chain) {
    check.chain = chain
    if (chain.file !== name) return 'it states that it is the first line of another file'
  }
  check.last = link
  check.firstAt ??= at
  check.lastAt = at
  return known?.seq === link.seq && known.hash !== link.hash
    ? 'it is not the line that was written here: the head has another hash for it'
    : null
}

function sayMissing(count: number): string {
  return count === 1 ? 'the last line is missing' : `the last ${count} lines are missing`
}
