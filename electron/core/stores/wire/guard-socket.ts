import type { Socket } from 'node:net'
import { saySize } from '../../lib/bytes.ts'
import { BadAnswer } from '../bad-answer.ts'

/** Four times the largest value that is ever requested, and five times the largest page. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024

export function tooMuch(maxBytes = MAX_REPLY_BYTES): BadAnswer {
  return new BadAnswer(`sent more than ${saySize(maxBytes)} in one reply`)
}

export type SocketGuard = {
  /** Throws a BadAnswer. */
  readonly check?: (chunk: Buffer) => void
  /** Since the last byte that was sent. Infinity for a server that may send without being asked. */
  readonly maxBytes: number
  /**
   * Called once, with a BadAnswer or with what the client library's parser threw. The socket is destroyed afterwards, with the
   * error that is returned.
   */
  readonly failed: (fault: unknown) => Error | undefined
}

/**
 * Checks what arrives before the client library parses it, and catches what its parser throws: both would otherwise end the
 * process. The library itself stays as it is, because it may be the program's own.
 */
export function guardSocket(socket: Socket, { check, maxBytes, failed }: SocketGuard): void {
  let isOver = false
  let written = -1
  let received = 0
  const inspect = (chunk: Buffer) => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      received = 0
    }
    received += chunk.length
    if (received > maxBytes) throw tooMuch(maxBytes)
    check?.(chunk)
  }
  const emit = socket.emit
  socket.emit = (...event: unknown[]): boolean => {
    if (event[0] !== 'data') return Reflect.apply(emit, socket, event)
    if (isOver) return false
    try {
      inspect(event[1] as Buffer)
      return Reflect.apply(emit, socket, event)
    } catch (fault) {
      isOver = true
      socket.destroy(failed(fault))
      return false
    }
  }
}
