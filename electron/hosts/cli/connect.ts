import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Client, createClient } from '../../../shared/client.ts'
import type { StoreDescription, StoreInfo } from '../../../shared/contract.ts'
import { openSession } from '../../core/dispatch.ts'
import { CliError, unwrap } from './exit.ts'
import type { Io } from './io.ts'

/**
 * The command line talks to the core as every screen does; here the wire is a function call. What is `stoppable` is dropped
 * when Ctrl-C is pressed; a plan that is being applied is stopped in its own way.
 */
export function connect(io: Io, { stoppable = true }: { readonly stoppable?: boolean } = {}): Client {
  const client = createClient(frame => session.receive(frame))
  const session = openSession(io.core(), frame => client.receive(frame))
  if (stoppable) io.signal.addEventListener('abort', () => session.close())
  return client
}

export type OpenedStore = {
  readonly client: Client
  readonly info: StoreInfo
  readonly description: StoreDescription
}

/** Opens a store and asks who it is. When the server wants a password and there is a person to ask, asks. */
export async function openStore(io: Io, address: string): Promise<OpenedStore> {
  const client = connect(io)
  const password = io.env['LOCKKEEPER_PASSWORD']
  const attempt = async (secret: string | undefined): Promise<OpenedStore> => {
    const info = unwrap(
      await client.call('stores.open', secret === undefined ? { address } : { address, password: secret }),
    )
    const description = unwrap(await client.call('stores.describe', { storeId: info.storeId }))
    return { client, info, description }
  }
  try {
    return await attempt(password)
  } catch (error) {
    const mayAsk =
      password === undefined && io.stdin.isTTY && io.stderr.isTTY && !/^[^/]*\/\/[^/@]*:[^/@]*@/.test(address)
    if (!(error instanceof CliError) || error.failure.code !== 'STORE_DENIED' || !mayAsk) throw error
    return await attempt(await askPassword(io))
  }
}

async function askPassword(io: Io): Promise<string> {
  io.stderr.write('Password: ')
  // readline echoes what is typed to its output: this one swallows it.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: io.stdin, output: silent, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      const stop = () => reject(new CliError({ code: 'ABORTED', message: 'Stopped on request' }))
      lines.once('line', resolve)
      lines.once('SIGINT', stop)
      // Ctrl-D, or the end of the terminal.
      lines.once('close', stop)
      io.signal.addEventListener('abort', stop)
    })
  } finally {
    lines.close()
    io.stderr.write('\n')
  }
}
