import type { Socket } from 'node:net'

export function packet(sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(4)
  header.writeUIntLE(body.length, 0, 3)
  header[3] = sequence
  return Buffer.concat([header, body])
}

/** As MySQL 8 greets. */
export function greeting({ tls = false, method = 'mysql_native_password' } = {}): Buffer {
  const body = Buffer.from(
    `0a382e302e3000010000006162636465666768000fa2080200dfff15${'00'.repeat(10)}${'61'.repeat(12)}00${Buffer.from(`${method}\0`).toString('hex')}`,
    'hex',
  )
  const flags = body.indexOf('0fa2', 0, 'hex')
  if (tls) body.writeUInt16LE(body.readUInt16LE(flags) | 0x0800, flags)
  return packet(0, body)
}

export const OK: Buffer = Buffer.from('00000002000000', 'hex')

/** Completes the login, then answers each packet as the test says. */
export function afterLogin(answer: (socket: Socket, body: Buffer) => void): (socket: Socket) => void {
  return socket => {
    socket.write(greeting())
    let isIn = false
    socket.on('data', data => {
      if (isIn) return answer(socket, data)
      isIn = true
      socket.write(packet(2, OK))
    })
  }
}
