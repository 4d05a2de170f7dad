import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type StoreAddress, showAddress, takesPassword } from '../../../../shared/address.ts'
import { type Client, createClient } from '../../../../shared/client.ts'
import { methods, type StreamEvent, type StreamInput, type StreamName } from '../../../../shared/contract.ts'
import type { Failure, Result } from '../../../../shared/result.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { StoreDescription, StoreInfo } from '../../../../shared/stores.ts'
import { openSession } from '../../../core/dispatch.ts'
import { onAbort, unlessAborted } from '../../../core/lib/timers.ts'
import { howToGive, withPasswords } from '../../start/passwords.ts'
import { CliError, stopped, unwrap } from './exit.ts'
import { aborted, type Io } from './io.ts'

/**
 * The command line talks to the core as every screen does; here the wire is a function call. Ctrl-C drops a `stoppable`
 * connection, whether its store answers or not, but for changes: those are waited for. A plan that is being applied is stopped in
 * its own way. Streams wait for `pace` before their next event.
 */
export function connect(
  io: Io,
  { stoppable = true, pace }: { readonly stoppable?: boolean; readonly pace?: () => Promise<void> } = {},
): Client {
  const client = createClient(frame => session.receive(frame))
  const session = openSession(io.core(), frame => {
    client.receive(frame)
    // Its own caller handles the error.
    return pace?.().catch(() => {})
  })
  if (!stoppable) return client
  onAbort(io.signal, () => session.close())
  return {
    ...client,
    call: (method, input) => {
      const answer = client.call(method, input)
      return methods[method].effect === 'read'
        ? unlessAborted(answer, io.signal).catch(() => STOPPED)
        : answer
    },
    open(stream, input, onEvent, onEnd) {
      if (io.signal.aborted) {
        onEnd(STOPPED)
        return () => {}
      }
      let forget = () => {}
      const close = client.open(stream, input, onEvent, result => {
        forget()
        onEnd(result)
      })
      forget = onAbort(io.signal, () => {
        close()
        onEnd(STOPPED)
      })
      return () => {
        forget()
        close()
      }
    },
  }
}

const STOPPED: { ok: false; error: Failure } = { ok: false, error: stopped().failure }

/** Reads a stream to its end. Ctrl-C, or an event whose handling fails, closes the stream and is an error. */
export function readStream<S extends StreamName>(
  io: Io,
  client: Client,
  stream: S,
  input: StreamInput<S>,
  onEvent: (event: StreamEvent<S>, seq: number) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      close()
      reject(error)
    }
    const close = client.open(
      stream,
      input,
      (event, seq) => void onEvent(event, seq)?.catch(fail),
      result => (result.ok ? resolve() : reject(new CliError(result.error))),
    )
    void aborted(io.signal).then(() => fail(stopped()))
  })
}

export type OpenedStore = Awaited<ReturnType<typeof openStore>>

/** Opens a store and describes its server. Prompts for a password if the server requires one and there is a terminal. */
export async function openStore(io: Io, address: string) {
  const client = connect(io)
  const [store] = await openStores(io, client, [address])
  const { info, answer, hasPassword } = store as ReachedStore
  return { client, info, hasPassword, description: unwrap(answer) }
}

export type ReachedStore = {
  readonly info: StoreInfo
  /** The server's description, or why it could not be read. */
  readonly answer: Result<StoreDescription>
  readonly hasPassword: boolean
}

/**
 * Opens all stores of a command; one that is down has the error as its answer. `named` are the addresses that the operator gave:
 * those of a plan or a hold are chosen by whoever wrote its file.
 */
export async function openStores(
  io: Io,
  client: Client,
  addresses: readonly string[],
  named: readonly string[] = addresses,
): Promise<ReachedStore[]> {
  const given = withPasswords(addresses, io.env, await io.passwordLines(), named)
  const stores = await Promise.all(given.map(address => reach(client, address)))
  const mayAsk = io.stdin.isTTY && io.stderr.isTTY
  for (const [i, address] of given.entries()) {
    const { info, answer } = stores[i] as ReachedStore
    const isDenied = !answer.ok && answer.error.code === 'STORE_DENIED'
    if (!isDenied || address.password !== null || !takesPassword(address)) continue
    if (!mayAsk) {
      const message = `${answer.error.message}. To give a password, ${howToGive(address, named)}`
      stores[i] = { info, answer: { ok: false, error: { ...answer.error, message } }, hasPassword: false }
      continue
    }
    const password = await askPassword(io, info.address)
    await client.call('stores.close', { storeId: info.storeId })
    stores[i] = await reach(client, { ...address, password })
  }
  return stores
}

async function reach(client: Client, address: StoreAddress): Promise<ReachedStore> {
  const password = address.password ?? undefined
  const info = unwrap(await client.call('stores.open', { address: showAddress(address), password }))
  const answer = await client.call('stores.describe', { storeId: info.storeId })
  return { info, answer, hasPassword: Boolean(password) }
}

async function askPassword(io: Io, address: string): Promise<string> {
  // readline echoes input to its output; this one discards it.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // It keeps the terminal from echoing, which it must before anything is typed.
  const lines = createInterface({ input: io.stdin, output: silent, terminal: true })
  io.stderr.write(`Password for ${escapeForTerminal(address)}: `)
  try {
    return await new Promise<string>((resolve, reject) => {
      const stop = () => reject(stopped())
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
