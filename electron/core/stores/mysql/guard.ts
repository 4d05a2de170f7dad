import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Pool } from 'mysql2/promise'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { guardSocket } from '../wire/guard-socket.ts'

/** The parts of a connection that mysql2 keeps to itself. */
type Packet = { readonly sequenceId: number; isError(): boolean }
type Inside = EventEmitter & {
  stream: Socket
  sequenceId: number
  _handleNetworkError(error: Error): void
  handlePacket(packet?: Packet): void
  startTLS(secured: (error?: Error) => void): void
}
type PoolInside = { readonly _allConnections: { readonly length: number; get(place: number): Inside } }

/** mysql2 copies the code and the message of an error, and nothing else. */
export const BAD_ANSWER = 'BAD_ANSWER'

/** Called when a pool asks for a socket, which is before the pool knows the connection that it makes. */
export function guardNext(pool: Pool, socket: Socket, tls: ConnectionOptions): void {
  queueMicrotask(() => {
    const { _allConnections: all } = (pool as unknown as { readonly pool: PoolInside }).pool
    for (let place = all.length - 1; place >= 0; place--) {
      const connection = all.get(place)
      if (connection.stream === socket) return guardConnection(connection, tls)
    }
  })
}

/** An unexpected or oversized packet fails the statement instead of the process. */
function guardConnection(connection: Inside, tls: ConnectionOptions): void {
  // The second error of a connection that is being opened has no other listener.
  connection.on('error', () => {})
  // The driver would write to the console and go on.
  connection.on('warn', () => {
    throw unreadable('a packet out of order')
  })
  guardStream(connection.stream)
  const { handlePacket } = connection
  let isSecuring = false
  connection.handlePacket = packet => {
    // Anyone on the way can append it to the greeting.
    if (isSecuring) throw unreadable('a packet before the encryption')
    // A server that ends an idle connection says so with sequence 0, perhaps when a statement is on its way.
    if (packet?.isError()) connection.sequenceId = packet.sequenceId
    handlePacket.call(connection, packet)
  }
  // The driver would check a certificate against "localhost" when it connects to an IP address, and hide the reason for a
  // refusal.
  connection.startTLS = secured => {
    const { stream } = connection
    const readers = stream.listeners('data') as ((data: Buffer) => void)[]
    stream.removeAllListeners('data')
    isSecuring = true
    const secure = connectTls({ ...tls, socket: stream }, () => {
      isSecuring = false
      secured()
    })
    secure.on('error', error => connection._handleNetworkError(error))
    for (const reader of readers) secure.on('data', reader)
    connection.stream = secure
    guardStream(secure)
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
