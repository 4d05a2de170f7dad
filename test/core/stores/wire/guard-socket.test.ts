import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { BadAnswer } from '../../../../electron/core/stores/bad-answer.ts'
import { guardSocket } from '../../../../electron/core/stores/wire/guard-socket.ts'

/** The two ends of a connection. */
async function pair(): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ours = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [theirs] = (await once(server, 'connection')) as [Socket]
  for (const socket of [ours, theirs]) socket.on('error', () => {})
  onTestFinished(() => {
    for (const each of [ours, theirs]) each.destroy()
    server.close()
  })
  return { ours, theirs }
}

function guarded(ours: Socket, maxBytes: number, check: (chunk: Buffer) => void = () => {}) {
  const faults: unknown[] = []
  const failed = (fault: unknown) => {
    faults.push(fault)
    return undefined
  }
  guardSocket(ours, { check, failed }, maxBytes)
  return faults
}

it('counts what arrives after each byte that was sent', async () => {
  const { ours, theirs } = await pair()
  const faults = guarded(ours, 10)
  let read = ''
  ours.on('data', chunk => {
    read += chunk
  })
  for (const text of ['12345678', 'abcdefgh']) {
    ours.write('?')
    theirs.write(text)
    await expect.poll(() => read.endsWith(text)).toBe(true)
  }
  expect(faults).toEqual([])
  theirs.write('xyz')
  await once(ours, 'close')
  expect(faults).toEqual([expect.any(BadAnswer)])
  expect(read).toBe('12345678abcdefgh')
})

it('gives the parser nothing that failed the check', async () => {
  const { ours, theirs } = await pair()
  const fault = new Error('no')
  const faults = guarded(ours, 100, () => {
    throw fault
  })
  let read = ''
  ours.on('data', chunk => {
    read += chunk
  })
  theirs.write('anything')
  await once(ours, 'close')
  expect({ faults, read }).toEqual({ faults: [fault], read: '' })
})

it('ends the connection, and not the process, when the parser throws', async () => {
  const { ours, theirs } = await pair()
  const faults = guarded(ours, 100)
  ours.on('data', () => {
    throw new RangeError('parser')
  })
  theirs.write('anything')
  await once(ours, 'close')
  expect(faults).toEqual([expect.any(RangeError)])
})
