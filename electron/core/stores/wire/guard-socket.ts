import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { saySize } from '../../lib/bytes.ts'
import { BadAnswer } from '../bad-answer.ts'

/** Four times the largest value that is ever requested, and five times the largest page. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024

export function tooMuch(maxBytes = MAX_REPLY_BYTES): BadAnswer {
  return new BadAnswer(`sent more than ${saySize(maxBytes)} in one reply`)
}

export type Guard = {
  /** Throws a BadAnswer. */
  readonly check: (chunk: Buffer) => void
  /**
   * Called once, with a BadAnswer or with what a listener threw. The stream is destroyed afterwards, with the error that is
   * returned.
   */
  readonly failed: (fault: unknown) => Error | undefined
}

/**
 * Checks what arrives before the client library parses it, and catches what its parser throws: both would otherwise end the
 * process. The library itself stays as it is, because it may be the program's own.
 */
export function guardStream(stream: Readable, { check, failed }: Guard): void {
  let isOver = false
  const emit = stream.emit
  stream.emit = (...event: unknown[]): boolean => {
    if (event[0] !== 'data') return Reflect.apply(emit, stream, event)
    if (isOver) return false
    try {
      check(event[1] as Buffer)
      return Reflect.apply(emit, stream, event)
    } catch (fault) {
      isOver = true
      stream.destroy(failed(fault))
      return false
    }
  }
}

/** `maxBytes`: since the last byte that was sent. Infinity for a server that may send without being asked. */
export function guardSocket(socket: Socket, { check, failed }: Guard, maxBytes = MAX_REPLY_BYTES): void {
  let written = -1
  let received = 0
  guardStream(socket, {
    check: chunk => {
      if (socket.bytesWritten !== written) {
        written = socket.bytesWritten
        received = 0
      }
      received += chunk.length
      if (received > maxBytes) throw tooMuch(maxBytes)
      check(chunk)
    },
    failed,
  })
}
