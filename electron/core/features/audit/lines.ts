import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a
/** A longer line is not ours, and not worth the memory. */
const LONGEST_LINE_BYTES = 4 * 1024 * 1024

/** `start` is its position in the file. A line without an end is the last one, and torn. */
export type RawLine = { readonly start: number; readonly bytes: Buffer; readonly ended: boolean }

/** Oldest first, in batches, between two positions of the file. A line that is too long is the last one, torn. */
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

/** Newest first, in batches, everything before a position of the file. A line that is too long is cut to its start. */
export async function* linesBackward(handle: FileHandle, before: number): AsyncIterable<RawLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  // Whether a newline follows `rest` in the file.
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
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, at + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
