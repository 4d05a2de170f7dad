import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

/** A server that harms its clients, on this machine only and for a limited time. */
export type HostileServer = { readonly port: number; close(): Promise<void> }

/** What one connection may be sent: more than a client should ever take, and no more than this machine can. */
const MOST_BYTES = 3 * 1024 ** 3
const MOST_MS = 60_000

const LINE = Buffer.alloc(64 * 1024, 'x')

/** Redis: one array that never ends, of small arrays. */
export function floodingArrays(): Promise<HostileServer> {
  const some = Buffer.from('*1\r\n:1\r\n'.repeat(8000))
  return pouring(() => [Buffer.from('*2147483647\r\n'), some])
}

/** Redis: a value of 2 GB. */
export function endlessBulk(): Promise<HostileServer> {
  return pouring(() => [Buffer.from('$2147483647\r\n'), LINE])
}

/** DynamoDB: an answer that never ends. */
export function endlessResponse(): Promise<HostileServer> {
  const head = ['HTTP/1.1 200 OK', 'Content-Type: application/x-amz-json-1.0', '', '{"Table":{"TableName":"']
  return pouring(() => [Buffer.from(head.join('\r\n')), LINE])
}

/** MySQL: a greeting in packets of the largest size, each continued by the next. */
export function endlessPacket(): Promise<HostileServer> {
  const LARGEST = 0xffffff
  return listen(socket => {
    const body = Buffer.alloc(LARGEST, 'x')
    let sequence = 0
    void pour(socket, () => Buffer.concat([Buffer.from([0xff, 0xff, 0xff, sequence++ & 0xff]), body]))
  })
}

/** A real Redis whose SCAN always has another cursor, with keys that were never seen. */
export function endlessKeys(redisPort: number): Promise<HostileServer> {
  return scanning(
    redisPort,
    "local keys = {} for i = 1, 1000 do keys[i] = 'lock:' .. ARGV[1] .. ':' .. i .. string.rep('k', 200) end return { string.format('%.0f', ARGV[1] + 1), keys }",
  )
}

/** A real Redis whose SCAN always has the same cursor. */
export function loopingCursor(redisPort: number): Promise<HostileServer> {
  return scanning(redisPort, "return { '17', { 'lock:a', 'lock:b' } }")
}

/** Answers the first request with a head, and then with the same for as long as anybody reads it. */
function pouring(parts: () => readonly [head: Buffer, rest: Buffer]): Promise<HostileServer> {
  return listen(socket => {
    socket.once('data', () => {
      const [head, rest] = parts()
      let next = head
      void pour(socket, () => {
        const now = next
        next = rest
        return now
      })
    })
  })
}

async function pour(socket: Socket, next: () => Buffer): Promise<void> {
  const until = Date.now() + MOST_MS
  while (!socket.destroyed && socket.bytesWritten < MOST_BYTES && Date.now() < until) {
    if (socket.write(next())) continue
    const waiting = new AbortController()
    const { signal } = waiting
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {})
    waiting.abort()
  }
  socket.destroy()
}

/** Passes everything on to a real Redis, but for SCAN, which a script answers that gets the cursor. */
function scanning(redisPort: number, script: string): Promise<HostileServer> {
  return listen(socket => {
    const redis = createConnection(redisPort, '127.0.0.1')
    redis.on('error', () => socket.destroy())
    redis.on('close', () => socket.destroy())
    socket.on('close', () => redis.destroy())
    redis.pipe(socket)
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', chunk => {
      rest = Buffer.concat([rest, chunk])
      for (let command = firstCommand(rest); command; command = firstCommand(rest)) {
        const [name, cursor = '0'] = command.words
        const isScan = name?.toUpperCase() === 'SCAN'
        redis.write(isScan ? asCommand(['EVAL', script, '0', cursor]) : rest.subarray(0, command.length))
        rest = rest.subarray(command.length)
      }
    })
  })
}

/** The first whole command of what a client sent; null if it is still on its way. */
function firstCommand(bytes: Buffer): { readonly words: string[]; readonly length: number } | null {
  const line = (from: number) => {
    const end = bytes.indexOf('\r\n', from)
    return end < 0 ? null : { value: Number(bytes.toString('latin1', from + 1, end)), next: end + 2 }
  }
  const count = line(0)
  if (!count) return null
  const words: string[] = []
  let at = count.next
  for (let i = 0; i < count.value; i++) {
    const size = line(at)
    if (!size || bytes.length < size.next + size.value + 2) return null
    words.push(bytes.toString('latin1', size.next, size.next + size.value))
    at = size.next + size.value + 2
  }
  return { words, length: at }
}

function asCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}

async function listen(talk: (socket: Socket) => void): Promise<HostileServer> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    talk(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
