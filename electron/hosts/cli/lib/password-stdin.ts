import { unlessAborted } from '../../../core/lib/timers.ts'
import { stopped, usageError } from './exit.ts'
import type { Io } from './io.ts'

/** More than any list of passwords has. */
const MOST_BYTES = 1024 * 1024

/** Reads the standard input to its end, once, as lines; null unless it was asked for. */
export function readPasswordLines(
  { stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
  isAsked: boolean,
): Io['passwordLines'] {
  let lines: Promise<readonly string[]> | null = null
  return async () => {
    if (!isAsked) return null
    if (stdin.isTTY)
      throw usageError('--password-stdin reads from a pipe or a file; without it you are asked, unseen')
    lines ??= unlessAborted(readLines(stdin), signal)
    return lines.catch(error => {
      throw signal.aborted ? stopped() : error
    })
  }
}

async function readLines(stdin: Io['stdin']): Promise<readonly string[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    size += chunk.length
    if (size > MOST_BYTES) throw usageError('The standard input is too long to be passwords')
    chunks.push(Buffer.from(chunk))
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}
