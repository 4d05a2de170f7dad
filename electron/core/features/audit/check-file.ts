import { open } from 'node:fs/promises'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { type ChainLine, chainLineSchema, checkLine, hashIn, type Link } from './line.ts'
import { linesForward } from './lines.ts'

export type FileCheck = {
  readonly lines: number
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** Its first line, if that is sound. */
  readonly chain: ChainLine | null
  /** The last line that is sound. */
  readonly last: Link | null
  /** What the last line says its hash is, sound or not. */
  readonly lastStored: string | null
  readonly size: number
  readonly damage: AuditDamage | null
}

export type CheckOptions = {
  /** A line that is known to be in the file: with another hash, or none, the file is another. */
  readonly known?: Link | null
  /** Where to begin, when everything before is known to be sound. */
  readonly from?: { readonly size: number; readonly link: Link }
  readonly signal?: AbortSignal
}

/** Reads a file of the log from its start and follows the chain. After the first damage lines are only counted. */
export async function checkFile(path: string, name: string, options: CheckOptions = {}): Promise<FileCheck> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const { known, from } = options
    const state = { lines: 0, firstAt: null as string | null, lastAt: null as string | null }
    let chain: ChainLine | null = null
    let last: Link | null = from?.link ?? null
    let lastStored: string | null = null
    let damage: AuditDamage | null = null
    for await (const batch of linesForward(handle, from?.size ?? 0, size)) {
      if (options.signal) throwIfAborted(options.signal)
      for (const { bytes, ended } of batch) {
        state.lines++
        lastStored = hashIn(bytes)
        if (damage !== null) continue
        const fail = (why: string) => {
          damage = { line: state.lines, why }
        }
        if (!ended) {
          fail('it is cut off: its end was never written, or was removed')
          continue
        }
        const checked = checkLine(bytes, last)
        if ('why' in checked) {
          fail(checked.why)
          continue
        }
        if (last === null) {
          chain = chainLineSchema.parse(checked.line)
          if (chain.file !== name) {
            fail('it says that it is the first line of another file')
            continue
          }
        }
        last = checked.link
        state.firstAt ??= checked.line.at
        state.lastAt = checked.line.at
        if (known?.seq === last.seq && known.hash !== last.hash)
          fail('it is not the line that was written here: the head knows another one')
      }
    }
    if (damage === null && last === null) damage = { line: null, why: 'the file is empty' }
    if (damage === null && known && last && known.seq > last.seq)
      damage = { line: null, why: sayMissing(known.seq - last.seq) }
    return { ...state, chain, last, lastStored, size, damage }
  } finally {
    await handle.close()
  }
}

function sayMissing(count: number): string {
  return count === 1 ? 'the last line is missing' : `the last ${count} lines are missing`
}
