import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Pool } from 'mysql2/promise'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { guardSocket } from '../wire/guard-socket.ts'

/** The parts of a connection that mysql2 keeps to itself. */
type Packet = { readonly sequenceId: number; isError(): boolean }
type Inside = EventEmitter & {
  readonly stream: Socket
  sequenceId: number
  handlePacket(packet?: Packet): void
  startTLS(secured: (error?: Error) => void): void
}
type PoolInside = { readonly _allConnections: { readonly length: number; get(place: number): Inside } }

/** mysql2 copies the code and the message of an error, and nothing else. */
export const BAD_ANSWER = 'BAD_ANSWER'

/** Called when a pool asks for a socket, which is before the pool knows the connection that it makes. */
export function guardNext(pool: Pool, socket: Socket): void {
  queueMicrotask(() => {
    const { _allConnections: all } = (pool as unknown as { readonly pool: PoolInside }).pool
    for (let place = all.length - 1; place >= 0; place--) {
      const connection = all.get(place)
      if (connection.stream === socket) return guardConnection(connection)
    }
  })
}

/** An unexpected or oversized packet fails the statement instead of the process. */
function guardConnection(connection: Inside): void {
  // The second error of a connection that is being opened has no other listener.
  connection.on('error', () => {})
  // The driver would write to the console and go on.
  connection.on('warn', () => {
    throw unreadable('a packet out of order')
  })
  guardStream(connection.stream)
  const { startTLS, handlePacket } = connection
  connection.handlePacket = packet => {
    // A server that ends an idle connection says so with sequence 0, perhaps when a statement is on its way.
    if (packet?.isError()) connection.sequenceId = packet.sequenceId
    handlePacket.call(connection, packet)
  }
  connection.startTLS = secured => {
    startTLS.call(connection, secured)
    guardStream(connection.stream)
  }
}

function guardStream(stream: Socket): void {
  guardSocket(stream, {
    check: () => {},
    failed: fault => {
      const { did } = fault instanceof BadAnswer ? fault : unreadable('a packet', fault)
      return Object.assign(new Error(did, { cause: fault }), { code: BAD_ANSWER })
    },
  })
}
