import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { greeting, OK, packet } from '../hostile/mysql-packets.ts'
import { startScriptedRedis } from '../hostile/scripted-redis.ts'
import { startScripted } from '../hostile/scripted-server.ts'
import { WRITTEN_FORMS } from './written-forms.ts'

/** Around everything that these servers repeat: what has this mark shows a server's words. */
export const MARK = 'repeated-by-a-server'

/** When a server repeats what it knows: in its answer to the login, or in the answers to everything after it. */
export type When = 'at the login' | 'after the login'

export type EchoingServer = { readonly port: number; readonly received: () => string }

/** Repeats a text in one line, each time in the next form. */
function repeater(): (text: string) => string {
  let count = 0
  return text => {
    const [, write] = WRITTEN_FORMS[count++ % WRITTEN_FORMS.length] as (typeof WRITTEN_FORMS)[number]
    return `${MARK} ${write(text).replace(/[\r\n\0]/g, ' ')}`
  }
}

/** Answers with errors that repeat the password of the connection. */
export async function startEchoingRedis(when: When): Promise<EchoingServer> {
  const words: string[] = []
  const passwords = new WeakMap<Socket, string>()
  const repeat = repeater()
  const port = await startScriptedRedis((name, args, socket) => {
    const texts = args.map(arg => Buffer.from(arg, 'latin1').toString())
    words.push(name, ...texts)
    if (name === 'AUTH') passwords.set(socket, texts.at(-1) ?? '')
    if (name === 'AUTH' && when === 'after the login') return '+OK\r\n'
    return `-ERR ${repeat(passwords.get(socket) ?? 'nothing')}\r\n`
  })
  return { port, received: () => words.join('\n') }
}

/** Repeats the scrambled password in its refusal of the login, or the password in the errors of all statements. */
export async function startEchoingMysql(password: string, when: When): Promise<EchoingServer> {
  const all: Buffer[] = []
  const repeat = repeater()
  const refuse = (socket: Socket, sequence: number, message: string) =>
    socket.write(
      packet(sequence, Buffer.concat([Buffer.from('ff5104', 'hex'), Buffer.from(`#HY000${message}`)])),
    )
  const port = await startScripted(socket => {
    socket.write(greeting())
    let isIn = false
    socket.on('data', data => {
      all.push(data)
      if (isIn) return refuse(socket, 1, repeat(password))
      if (when === 'at the login') return refuse(socket, 2, `${MARK} ${data.toString('hex')}`)
      isIn = true
      return socket.write(packet(2, OK))
    })
  })
  return { port, received: () => Buffer.concat(all).toString('latin1') }
}

type Request = { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }

/** What debugging servers and captive portals answer. */
const ECHOES: readonly ((request: Request) => object)[] = [
  ({ headers, body }) => ({ message: `${MARK} ${JSON.stringify(headers)} ${body}` }),
  ({ headers }) => ({ message: `${MARK} ${headers['authorization']}` }),
  ({ headers }) => ({ message: `${MARK} ${String(headers['authorization']).slice(0, 45)}` }),
  ({ headers }) => ({ message: `${MARK} ${String(headers['authorization']).slice(-20)}` }),
  ({ headers }) => ({ message: `${MARK} ${headers['x-amz-security-token'] ?? headers['authorization']}` }),
  ({ headers }) => ({ message: `${MARK} ${Buffer.from(JSON.stringify(headers)).toString('base64')}` }),
  ({ headers }) => ({ message: `${MARK} ${encodeURIComponent(JSON.stringify(headers))}` }),
  ({ headers }) => ({ __type: `${MARK} ${String(headers['authorization']).replace(/[:,#]/g, ' ')}` }),
]

/** Answers each request with an error that repeats it. */
export async function startEchoingDynamo(): Promise<EchoingServer> {
  const all: string[] = []
  let count = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      const { headers } = request
      all.push(JSON.stringify(headers), body)
      const echo = ECHOES[count++ % ECHOES.length] as (typeof ECHOES)[number]
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(JSON.stringify({ __type: 'EchoException', ...echo({ headers, body }) }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as { port: number }).port, received: () => all.join('\n') }
}
