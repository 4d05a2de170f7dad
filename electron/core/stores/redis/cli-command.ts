import { isIP } from 'node:net'
import { commandLine, shellQuote } from '../../lib/shell-quote.ts'
import type { RedisAddress } from './address.ts'
import { keysOf, type RedisProgram, toBuffer, type Word } from './format/program.ts'
import { releaseLua } from './run-program.ts'

/** A line for redis-cli, which answers released, changed, gone or denied. Null for Sentinel, which redis-cli does not follow. */
export function redisCommand(address: RedisAddress, program: RedisProgram): string | null {
  const [host] = address.hosts
  if (!host || address.mode === 'sentinel') return null
  const all = keysOf(program)
  // No shell can pass on a NUL, so such a key is written into the script.
  const keys = all.filter(key => !key.includes(0))
  // A cluster finds the node of a script by its keys.
  if (address.mode === 'cluster' && keys.length < all.length) return null
  const lua = releaseLua(program, {
    key: key => (key.includes(0) ? literal(key) : `KEYS[${keys.findIndex(each => each.equals(key)) + 1}]`),
    value: word => (typeof word === 'number' ? String(word) : literal(word)),
  })
  return commandLine([
    `redis-cli -h ${shellQuote(host.host)} -p ${host.port}`,
    ...(address.db === 0 ? [] : [`-n ${address.db}`]),
    ...(address.tls ? tlsWords(address) : []),
    // Prompted for, never written: the shell keeps a history.
    ...(address.username === null ? [] : [`--user ${shellQuote(address.username)}`]),
    ...(address.username === null && address.password === null ? [] : ['--askpass']),
    ...(address.mode === 'cluster' ? ['-c'] : []),
    `EVAL '${lua}' ${keys.length}`,
    ...keys.map(shellQuote),
  ])
}

/** redis-cli checks who signed the certificate, and no name. */
function tlsWords({ ca, cert, key, servername }: RedisAddress): string[] {
  const words = ['--tls']
  if (ca !== null) words.push('--cacert', shellQuote(ca))
  if (cert !== null && key !== null) words.push('--cert', shellQuote(cert), '--key', shellQuote(key))
  if (servername !== null && isIP(servername) === 0) words.push('--sni', shellQuote(servername))
  return words
}

/** A Lua 5.1 string in printable ASCII without single quotes. Escapes have three digits: a digit may follow. */
function literal(word: Word): string {
  const text = toBuffer(word)
    .toString('latin1')
    .replace(/[^\x20-\x7e]|["'\\]/g, char => `\\${char.charCodeAt(0).toString().padStart(3, '0')}`)
  return `"${text}"`
}
