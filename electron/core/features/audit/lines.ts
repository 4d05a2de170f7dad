import type { FileHandle } from 'node:fs/promises'
import { LONGEST_LINE_BYTES } from './line.ts'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** `start` is where it begins in the file. A line without an end is the last one, and torn. */
export type RawLine = { readonly start: number; readonly bytes: Buffer; readonly ended: boolean }

/** Oldest first, in batches, from one place of the file to another. A line that is too long ends it, torn. */
export async function* linesForward(handle: FileHandle, from: number, to: number): AsyncIterable<RawLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  let restAt = from
  for (let at = from; at < to; ) {
    const read = await readAt(handle, at, Math.min(CHUNK_BYTES, to - at))
    if (read.length === 0) break
    at += read.length
    const chunk = rest.length > 0 ? Buffer.concat([rest, read]) : read
    const lines: RawLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push({ start: restAt + start, bytes: chunk.subarray(start, end), ended: true })
      start = end + 1
    }
    if (lines.length > 0) yield lines
    rest = chunk.subarray(start)
    restAt += start
    if (rest.length > LONGEST_LINE_BYTES) break
  }
  if (rest.length > 0) yield [{ start: restAt, bytes: rest, ended: false }]
}

/** Newest first, in batches, everything before a place of the file. Of a line that is too long only the start is given. */
export async function* linesBackward(handle: FileHandle, before: number): AsyncIterable<RawLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  // Whether what follows `rest` in the file is the end of a line.
  let ended = false
  for (let at = before; at > 0; ) {
    const size = Math.min(CHUNK_BYTES, at)
    const read = await readAt(handle, at - size, size)
    if (read.length < size) return
    at -= size
    const chunk = rest.length > 0 ? Buffer.concat([read, rest]) : read
    const lines: RawLine[] = []
    let end = chunk.length
    for (let cut = lastNewline(chunk, end); cut >= 0; cut = lastNewline(chunk, end)) {
      if (cut + 1 < end || ended)
        lines.push({ start: at + cut + 1, bytes: chunk.subarray(cut + 1, end), ended })
      ended = true
      end = cut
    }
    if (lines.length > 0) yield lines
    rest = chunk.subarray(0, Math.min(end, LONGEST_LINE_BYTES))
  }
  if (rest.length > 0) yield [{ start: 0, bytes: rest, ended }]
}

function lastNewline(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(NEWLINE, end - 1)
}

async function readAt(handle: FileHandle, at: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size)
  let got = 0
  while (got < size) {
    const { bytesRead } = await handle.read(buffer, got, size - got, at + got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  return buffer.subarray(0, got)
}
