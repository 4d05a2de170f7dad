import type { Socket } from 'node:net'
import { startScripted } from './scripted-server.ts'

/** The answer to a command: raw RESP, or null for none. */
export type Answer = string | Buffer | null

export type AnswerTo = (name: string, words: readonly string[], socket: Socket) => Answer

/** A Redis that answers as a test says. Commands are read as ioredis writes them. */
export function startScriptedRedis(
  answerTo: AnswerTo,
  greeting: string | null = null,
  host?: string,
): Promise<number> {
  return startScripted(socket => {
    if (greeting !== null) socket.write(greeting)
    let left = Buffer.alloc(0)
    socket.on('data', chunk => {
      left = Buffer.concat([left, chunk])
      for (let read = commandIn(left); read; read = commandIn(left)) {
        left = left.subarray(read.length)
        const [name = '', ...words] = read.words
        const answer = answerTo(name.toUpperCase(), words, socket)
        if (answer !== null && !socket.destroyed) socket.write(answer)
      }
    })
  }, host)
}

function commandIn(bytes: Buffer): { words: string[]; length: number } | null {
  const text = bytes.toString('latin1')
  let at = text.indexOf('\r\n') + 2
  if (at < 2) return null
  const words: string[] = []
  for (let count = Number(text.slice(1, at - 2)); count > 0; count--) {
    const end = text.indexOf('\r\n', at)
    if (end < 0) return null
    const start = end + 2
    at = start + Number(text.slice(at + 1, end)) + 2
    if (at > text.length) return null
    words.push(text.slice(start, at - 2))
  }
  return { words, length: at }
}

/** A value as RESP2: text is a bulk string. */
export function resp(value: string | number | null | readonly unknown[]): string {
  if (value === null) return '$-1\r\n'
  if (typeof value === 'number') return `:${value}\r\n`
  if (typeof value === 'string') return `$${Buffer.byteLength(value)}\r\n${value}\r\n`
  return `*${value.length}\r\n${value.map(each => resp(each as string)).join('')}`
}
