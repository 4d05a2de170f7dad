import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMysqlProvider } from '../../electron/core/locks/mysql/provider.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { MysqlAddress } from '../../electron/core/stores/mysql/address.ts'
import { parseAddress } from '../../shared/address.ts'
import { afterLogin, OK, packet } from './mysql-packets.ts'
import { startScripted, writeForever } from './scripted-server.ts'

const never = new AbortController().signal

const HUGE = Buffer.from('ffffff00', 'hex')

it.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'greets with a packet without an end',
    socket => {
      socket.write(HUGE)
      writeForever(socket, Buffer.alloc(64 * 1024, 0xff))
    },
    /^The MySQL server at/,
  ],
  ['greets with packets out of order', socket => socket.write(packet(7, Buffer.alloc(40, 1))), /cannot read/],
  ['greets with nothing', socket => socket.write(packet(0, Buffer.alloc(0))), /^The MySQL server at/],
  [
    'greets with an unknown login',
    socket => socket.write(packet(0, Buffer.from('0a00', 'hex'))),
    /^The MySQL server at/,
  ],
  [
    'sends packets that nobody asked for',
    afterLogin(socket => {
      for (let i = 0; i < 5; i++) socket.write(packet(0, OK))
      socket.write(packet(0, Buffer.alloc(0)))
    }),
    /^The MySQL server at/,
  ],
  [
    'answers a statement with rows without an end',
    afterLogin(socket => {
      socket.write(packet(1, Buffer.from([1])))
      writeForever(socket, Buffer.concat(Array.from({ length: 256 }, () => packet(9, Buffer.alloc(200)))))
    }),
    /^The MySQL server at/,
  ],
  [
    'answers a statement with a result of no shape',
    afterLogin(socket => socket.write(packet(1, Buffer.from('ff', 'hex')))),
    /^The MySQL server at|^The server answered/,
  ],
  [
    'asks for a file',
    afterLogin(socket => socket.write(packet(1, Buffer.from('fb2f6574632f706173737764', 'hex')))),
    /^The MySQL server at/,
  ],
])('a MySQL server that %s fails the statement with one sentence', async (_, connected, says) => {
  const port = await startScripted(connected)
  const address = `mysql://root:secret@127.0.0.1:${port}/locks`
  const store = await openStore(address, undefined)
  onTestFinished(() => store.close())
  await expect(store.clock(never)).rejects.toMatchObject({
    code: expect.stringMatching(/^STORE_/),
    message: expect.stringMatching(says),
  })
  const options = { format: null, fencing: undefined }
  const provider = createMysqlProvider(parseAddress(address) as MysqlAddress, options)
  onTestFinished(() => provider.close())
  const request = { owner: 'me', ttlMs: 1000, metadata: null }
  await expect(provider.take('a', request, never)).rejects.toMatchObject({
    code: expect.stringMatching(/^STORE_/),
  })
})

const COM_QUERY = 0x03
const COM_STMT_PREPARE = 0x16
/** One column of text. */
const COLUMN = Buffer.from('036465660000000174000c2d0000010000fd0000000000', 'hex')
const EOF = Buffer.from('fe00000200', 'hex')

function packets(...bodies: readonly Buffer[]): Buffer {
  return Buffer.concat(bodies.map((body, i) => packet(i + 1, body)))
}

it('a connection whose answer cannot be read is never used again', async () => {
  let logins = 0
  const prepared = packets(Buffer.from('000100000001000000000000', 'hex'), COLUMN, EOF)
  // Well-formed, but no time.
  const answer = packets(Buffer.from([1]), COLUMN, EOF, Buffer.from('00000178', 'hex'), EOF)
  const port = await startScripted(socket => {
    logins++
    afterLogin((each, body) => {
      if (body[4] === COM_QUERY) each.write(packet(1, OK))
      else each.write(body[4] === COM_STMT_PREPARE ? prepared : answer)
    })(socket)
  })
  const store = await openStore(`mysql://root:secret@127.0.0.1:${port}/locks`, undefined)
  onTestFinished(() => store.close())
  for (const login of [1, 2]) {
    await expect(store.clock(never)).rejects.toMatchObject({ message: expect.stringContaining('its clock') })
    expect(logins).toBe(login)
  }
})

it('a server that ends an idle connection as a statement arrives is unreachable', async () => {
  const idle = Buffer.concat([Buffer.from('ffbf0f', 'hex'), Buffer.from('#HY000idle')])
  const port = await startScripted(afterLogin(socket => socket.end(packet(0, idle))))
  const store = await openStore(`mysql://root:secret@127.0.0.1:${port}/locks`, undefined)
  onTestFinished(() => store.close())
  await expect(store.clock(never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.not.stringContaining('cannot read'),
  })
})
