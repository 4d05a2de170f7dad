import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { Refusal } from './refusal.ts'

/** Linux lists every connection of the machine here, with the user who opened it. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

const verdicts = new WeakMap<Socket, Promise<void>>()

/**
 * Every user of this machine can connect to 127.0.0.1. Refuses all but the user who runs this program and root, where the
 * system tells whose the connection is.
 */
export function checkUser(socket: Socket): Promise<void> {
  const known = verdicts.get(socket)
  if (known) return known
  const verdict = peerUser(socket).then(user => {
    if (user === 'unknown') throw new Refusal(403, 'the system does not list who opened the connection')
    if (user !== null && !ownUsers().has(user))
      throw new Refusal(403, `the connection belongs to another user (uid ${user})`)
  })
  verdicts.set(socket, verdict)
  return verdict
}

/** With sudo, the browser belongs to the user who called it. */
function ownUsers(): Set<number | undefined> {
  const { SUDO_UID } = process.env
  return new Set([0, process.getuid?.(), ...(SUDO_UID ? [Number(SUDO_UID)] : [])])
}

/** Null where the system cannot tell. */
async function peerUser({
  remoteAddress,
  remotePort,
  localPort,
}: Socket): Promise<number | 'unknown' | null> {
  // All of 127.0.0.0/8 reaches us, but browsers come from here.
  if (remoteAddress !== '127.0.0.1' || !remotePort || !localPort) return 'unknown'
  if (process.platform !== 'linux') return null
  const tables = await Promise.all(TABLES.map(path => readFile(path, 'latin1').catch(() => '')))
  if (tables.every(table => table === '')) return null
  return userIn(tables.join('\n'), remotePort, localPort) ?? 'unknown'
}

/** The user who opened the connection between two ports of 127.0.0.1; null if the table does not tell. */
export function userIn(table: string, fromPort: number, toPort: number): number | null {
  const at = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const from = `${at(fromPort)} `
  // A busy machine has tens of thousands of lines: only those with the port are taken apart.
  for (let found = table.indexOf(from); found >= 0; found = table.indexOf(from, found + 1)) {
    const end = table.indexOf('\n', found)
    const [, remote = '', , , , , user, , inode] = table.slice(found, end < 0 ? undefined : end).split(/\s+/)
    // The port may be that of the other end.
    if (!remote.endsWith(at(toPort))) continue
    // A connection that its program has closed is listed as root's, and has no inode.
    return inode === '0' ? null : Number(user)
  }
  return null
}
