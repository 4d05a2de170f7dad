import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connections } from '../../../../electron/core/stores/mysql/connect.ts'
import { greeting, OK, packet } from '../../../hostile/mysql-packets.ts'
import { startScripted } from '../../../hostile/scripted-server.ts'
import { failureOf, mysqlAddress, never } from './database.ts'

type Method = 'caching_sha2_password' | 'sha256_password'

const PASSWORD = 'correct horse'
/** Of the greeting and of every request to switch. */
const SCRAMBLE = Buffer.from('abcdefghaaaaaaaaaaaa')
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** The password in what a client sent, for the owner of the private key. */
function readBy(sent: Buffer): string | null {
  if (sent.length !== 256) return null
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const mixed = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, sent)
  return Buffer.from(mixed.map((byte, i) => byte ^ (SCRAMBLE[i % SCRAMBLE.length] ?? 0))).toString()
}

/**
 * A server that has never seen the account, as one with the key of an impostor: it always needs the whole password. It asks a
 * client that begins with another method to switch, unless it is `stubborn`.
 */
async function startServer(greeted: string, method: Method, { stubborn = false } = {}) {
  const passwords: string[] = []
  const begin = (socket: Socket, sequence: number) => {
    const first = method === 'sha256_password' ? Buffer.from(publicKey) : Buffer.from([4])
    socket.write(packet(sequence, Buffer.concat([Buffer.from([1]), first])))
  }
  const port = await startScripted(socket => {
    socket.write(greeting({ method: greeted }))
    let step: 'login' | 'switching' | 'key' | 'in' = 'login'
    socket.on('data', data => {
      const sequence = (data[3] ?? 0) + 1
      const body = data.subarray(4)
      const password = readBy(body)
      if (password !== null) passwords.push(password)
      if (step === 'in') return socket.write(packet(1, OK))
      if (password !== null) {
        step = 'in'
        return socket.write(packet(sequence, OK))
      }
      if (step === 'login' && !stubborn && !body.includes(`${method}\0`)) {
        step = 'switching'
        const request = Buffer.concat([Buffer.from(`\xfe${method}\0`, 'latin1'), SCRAMBLE, Buffer.from([0])])
        return socket.write(packet(sequence, request))
      }
      if (step === 'key') return socket.write(packet(sequence, Buffer.from(`\x01${publicKey}`, 'latin1')))
      step = 'key'
      return begin(socket, sequence)
    })
  })
  return { port, passwords }
}

function login(host: string, port: number, allowPublicKeyRetrieval = false): Promise<string> {
  const address = mysqlAddress({ host, port, password: PASSWORD, database: 'd', allowPublicKeyRetrieval })
  const connections = new Connections(address)
  onTestFinished(() => connections.close())
  return connections.use(never, async () => 'in')
}

describe.each<[string, Method]>([
  ['caching_sha2_password', 'caching_sha2_password'],
  ['sha256_password', 'sha256_password'],
  ['mysql_native_password', 'caching_sha2_password'],
  ['mysql_native_password', 'sha256_password'],
  ['caching_sha2_password', 'sha256_password'],
])('without TLS, a server that greets with %s and asks for %s', (greeted, method) => {
  it('never gets the password, and the error names the ways out', async () => {
    const { port, passwords } = await startServer(greeted, method)
    // Leads to this machine, but does not say so.
    expect(await failureOf(login('0.0.0.0', port))).toEqual({
      code: 'STORE_DENIED',
      message: expect.stringMatching(/it was not sent: use tls=true, or .*allowPublicKeyRetrieval=true$/),
    })
    expect(passwords).toEqual([])
  })

  it('never gets the password when it skips the request to switch', async () => {
    const { port, passwords } = await startServer(greeted, method, { stubborn: true })
    expect((await failureOf(login('0.0.0.0', port))).code).toMatch(/STORE_(DENIED|UNREACHABLE)/)
    expect(passwords).toEqual([])
  })

  it('gets the password on this machine', async () => {
    const { port, passwords } = await startServer(greeted, method)
    expect(await login('127.0.0.1', port)).toBe('in')
    expect(await login('localhost', port)).toBe('in')
    expect(passwords).toEqual([`${PASSWORD}\0`, `${PASSWORD}\0`])
  })

  it('gets the password if the address allows it', async () => {
    const { port, passwords } = await startServer(greeted, method)
    expect(await login('0.0.0.0', port, true)).toBe('in')
    expect(passwords).toEqual([`${PASSWORD}\0`])
  })
})
