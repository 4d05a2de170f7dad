import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openStores } from '../../../../electron/hosts/cli/lib/connect.ts'
import type { Io } from '../../../../electron/hosts/cli/lib/io.ts'
import type { Client } from '../../../../shared/client.ts'
import type { Failure } from '../../../../shared/result.ts'

const ADDRESS = 'redis://ops@cache:6379/0'
const DENIED: Failure = { code: 'STORE_DENIED', message: 'Redis needs a password and none was given' }

/** A server that needs a password, and somebody at a terminal or not. */
function denied(isTTY: boolean, failure = DENIED) {
  const events: string[] = []
  const passwords: (string | undefined)[] = []
  const setRawMode = (raw: boolean) => void events.push(raw ? 'echo is off' : 'echo is on')
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode })
  const stderr = {
    isTTY,
    write: (text: string) => {
      events.push(text)
      if (text.startsWith('Password')) setImmediate(() => stdin.write('hunter2\r'))
      return true
    },
  }
  const call = async (method: string, input: { readonly password?: string }) => {
    if (method === 'stores.open') passwords.push(input.password)
    if (method === 'stores.describe' && passwords.at(-1) === undefined) return { ok: false, error: failure }
    return { ok: true, value: { storeId: 's', address: ADDRESS } }
  }
  const io = {
    ...{ stdin, stderr, env: {}, passwordLines: async () => null },
    signal: new AbortController().signal,
  } as unknown as Io
  const client = { call } as unknown as Client
  return { events, passwords, open: (named?: readonly string[]) => openStores(io, client, [ADDRESS], named) }
}

it('asks for a password only once the terminal has stopped to echo', async () => {
  const { events, passwords, open } = denied(true)
  await open()
  expect(passwords).toEqual([undefined, 'hunter2'])
  expect(events).toEqual(['echo is off', `Password for ${ADDRESS}: `, 'echo is on', '\n'])
})

it('says without a terminal how the password of a store is given', async () => {
  const messageOf = async (named?: readonly string[]) => {
    const [store] = await denied(false).open(named)
    if (!store || store.answer.ok) throw new Error('The store is open')
    return store.answer.error.message
  }
  expect(await messageOf()).toBe(
    'Redis needs a password and none was given. To give a password, set LOCKKEEPER_PASSWORD_REDIS_USER_ops_AT_CACHE or use --password-stdin',
  )
  expect(await messageOf([])).toBe(
    'Redis needs a password and none was given. To give a password, set LOCKKEEPER_PASSWORD_REDIS_USER_ops_AT_CACHE, or enter it at a terminal: the command does not name this store',
  )
})
