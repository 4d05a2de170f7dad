import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoresJson } from '../../electron/core/features/stores/store-file.ts'
import { createRedisProvider } from '../../electron/core/locks/redis/provider.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { RedisAddress } from '../../electron/core/stores/redis/address.ts'
import { parseAddress } from '../../shared/address.ts'
import { listAll } from '../contract/list-all.ts'
import { durableVault, openConsole, profile } from '../core/features/console.ts'
import { type AnswerTo, resp, startScriptedRedis } from '../hostile/scripted-redis.ts'

const SECRET = 'hunter2-of-the-tests'

/** A Redis that notes every command: an AUTH has the password in its words. */
async function startRecorder() {
  const commands: string[] = []
  const connections = new Set<Socket>()
  const port = await startScriptedRedis((name, words, socket) => {
    if (!connections.has(socket)) socket.once('close', () => connections.delete(socket))
    connections.add(socket)
    commands.push([name, ...words].join(' '))
    return name === 'SCAN' ? resp(['0', []]) : '+OK\r\n'
  })
  return { port, commands, connections, address: `redis://127.0.0.1:${port}/0` }
}

describe('a password in the keyring', () => {
  const vault = durableVault()

  /** A store with a password, whose console is closed. */
  async function keptStore() {
    const ours = await startRecorder()
    const { ask, close, folder } = openConsole(undefined, {}, { vault })
    const kept = { profile: profile({ address: ours.address }), password: SECRET }
    const { storeId } = await ask('stores.add', kept)
    await ask('stores.describe', { storeId }).catch(() => {})
    expect(ours.commands).toContain(`AUTH ${SECRET}`)
    return { ours, close, folder, storeId }
  }

  function editFile(folder: string, change: (file: StoresJson) => void): void {
    const path = join(folder, 'stores.json')
    const file = JSON.parse(readFileSync(path, 'utf8'))
    change(file)
    writeFileSync(path, JSON.stringify(file))
  }

  const moveTo = (address: string) => (file: StoresJson) => {
    for (const { profile } of file.stores) profile.address = address
  }

  it.each(['while the console is closed', 'while the console runs'])(
    'does not follow an address that was edited in stores.json %s',
    async when => {
      const stranger = await startRecorder()
      const { folder, close, ours, storeId } = await keptStore()
      let again: ReturnType<typeof openConsole> | undefined
      if (when.includes('closed')) await close()
      else {
        again = openConsole(folder, {}, { vault })
        await expect.poll(() => again?.list()?.stores).toMatchObject([{ revision: 1, password: 'kept' }])
      }
      editFile(folder, moveTo(stranger.address))
      const { list, ask } = again ?? openConsole(folder, {}, { vault })
      await expect
        .poll(() => list()?.stores)
        .toMatchObject([
          {
            address: stranger.address,
            password: 'none',
            problem: { code: 'STORE_DENIED', message: expect.stringContaining('was changed outside') },
          },
        ])
      expect(stranger.commands).toEqual([])
      // Corrected, the store opens again.
      const before = ours.commands.length
      editFile(folder, moveTo(ours.address))
      await expect.poll(() => list()?.stores).toMatchObject([{ password: 'kept', problem: null }])
      await ask('stores.describe', { storeId }).catch(() => {})
      expect(ours.commands.slice(before)).toContain(`AUTH ${SECRET}`)
    },
  )

  it.each([
    ['TLS is dropped', 'rediss://cache.example:6379/0', 'redis://cache.example:6379/0'],
    ['a CA is named', 'rediss://cache.example:6379/0', 'rediss://cache.example:6379/0?ca=/tmp/ca.pem'],
    [
      'the name in the certificate is another',
      'rediss://cache.example:6379/0?servername=cache',
      'rediss://cache.example:6379/0?servername=thief',
    ],
    ['TLS is dropped', 'mysql://ops@db.example/shop?tls=true', 'mysql://ops@db.example/shop'],
    [
      'a key of the server is accepted',
      'mysql://ops@db.example/shop',
      'mysql://ops@db.example/shop?allowPublicKeyRetrieval=true',
    ],
    [
      'an endpoint is added',
      'dynamodb://AKIA@eu-west-1/locks',
      'dynamodb://AKIA@eu-west-1/locks?endpoint=http://127.0.0.1:1',
    ],
    ['nodes are added', 'redis+cluster://cache.example', 'redis+cluster://cache.example?nodes=thief.example'],
  ])('is not used when %s in stores.json (%s)', async (_, before, after) => {
    const first = openConsole(undefined, {}, { vault })
    // Closed: none of these servers exists.
    const { storeId } = await first.ask('stores.add', {
      profile: profile({ address: before }),
      password: SECRET,
    })
    await first.ask('stores.setOpen', { storeId, open: false })
    await first.close()
    editFile(first.folder, moveTo(after))
    const { ask } = openConsole(first.folder, {}, { vault })
    expect(await ask('stores.setOpen', { storeId, open: true })).toMatchObject({
      password: 'none',
      problem: { message: expect.stringContaining('was changed outside') },
    })
  })

  it('is not moved to another entry of the file', async () => {
    const stranger = await startRecorder()
    const { folder, close } = await keptStore()
    await close()
    editFile(folder, file => {
      const [store] = file.stores
      if (!store) throw new Error('No store was kept')
      file.stores = [{ ...store, storeId: 'other', profile: profile({ address: stranger.address }) }]
    })
    const { list } = openConsole(folder, {}, { vault })
    await expect.poll(() => list()?.stores).toMatchObject([{ problem: { code: 'STORE_DENIED' } }])
    expect(stranger.commands).toEqual([])
  })

  it('of an earlier version is bound to no server: it is typed again, once', async () => {
    const { folder, close, ours, storeId } = await keptStore()
    await close()
    await expect.poll(() => ours.connections.size).toBe(0)
    const bare = await vault.seal(SECRET)
    editFile(folder, file => {
      for (const store of file.stores) store.sealed = bare
    })
    const before = ours.commands.length
    const { ask, list } = openConsole(folder, {}, { vault })
    await expect
      .poll(() => list()?.stores)
      .toMatchObject([{ password: 'none', problem: { message: expect.stringContaining('earlier version') } }])
    expect(ours.commands).toHaveLength(before)
    const typed = { storeId, profile: profile({ address: ours.address }), password: SECRET }
    expect(await ask('stores.edit', typed)).toMatchObject({ password: 'kept', problem: null })
  })
})

/** An address of this machine that is not loopback: as foreign to 127.0.0.1 as any other host. */
const FOREIGN = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

const never = new AbortController().signal
const TIME = resp(['1700000000', '0'])

describe.skipIf(FOREIGN === undefined)('a server that sends the client to a stranger', () => {
  const stranger = FOREIGN ?? ''

  /** A foreign server, which notes what it is sent, and one on loopback that answers as told. */
  async function servers(answers: (foreignPort: number, port: () => number) => AnswerTo) {
    const told: string[] = []
    const foreignPort = await startScriptedRedis(
      (name, words) => {
        told.push([name, ...words].join(' '))
        return name === 'TIME' ? TIME : '+OK\r\n'
      },
      null,
      stranger,
    )
    const own: string[] = []
    const answer = answers(foreignPort, () => port)
    const port = await startScriptedRedis((name, words, socket) => {
      own.push([name, ...words].join(' '))
      return name === 'AUTH' ? '+OK\r\n' : answer(name, words, socket)
    })
    const open = async (scheme: string, more = '', password: string | null = SECRET) => {
      const store = await openStore(`${scheme}127.0.0.1:${port}${more}`, password ?? undefined)
      onTestFinished(() => store.close())
      return store
    }
    return { told, own, open, port, foreignPort }
  }

  const clusterOf =
    (slots: (foreignPort: number, port: number) => unknown[], other: (foreignPort: number) => string) =>
    (foreignPort: number, port: () => number): AnswerTo =>
    (name, words) => {
      if (name === 'CLUSTER') return resp(slots(foreignPort, port()))
      if (name === 'TIME') return TIME
      if (name === 'SCAN') return resp(['0', []])
      return words.length > 0 ? other(foreignPort) : '+OK\r\n'
    }
  const nothing = () => resp(['1700000000', '0', 1])
  const half = clusterOf(
    (foreign, own) => [
      [0, 8191, ['127.0.0.1', own]],
      [8192, 16383, [stranger, foreign]],
    ],
    nothing,
  )
  const whole = clusterOf(foreign => [[0, 16383, [stranger, foreign]]], nothing)
  const refused = (port: number) =>
    `The cluster names ${stranger}:${port} as a node, which is neither a host of the address nor near one. It was not contacted, because it would get the password. If it is yours, add nodes=${stranger} to the address`

  it('as a node among others: it gets nothing, the listing names it, and the others are read', async () => {
    const { told, own, open, foreignPort } = await servers(half)
    const store = await open('redis+cluster://')
    const { problems } = await listAll(store)
    expect(problems).toContainEqual({
      where: `${stranger}:${foreignPort}`,
      code: 'STORE_DENIED',
      message: refused(foreignPort),
    })
    expect(own).toContain(`AUTH ${SECRET}`)
    expect(own.some(each => each.startsWith('SCAN'))).toBe(true)
    expect(told).toEqual([])
  })

  it('under a name that cannot be resolved, or with a foreign address beside it: it gets nothing', async () => {
    for (const more of [[], ['id', ['ip', stranger]]]) {
      const name = 'node1.redis.invalid'
      const { told, open, foreignPort } = await servers(
        clusterOf(foreign => [[0, 16383, [name, foreign, ...more]]], nothing),
      )
      const store = await open('redis+cluster://')
      await expect(store.clock(never)).rejects.toThrow(`The cluster names ${name}:${foreignPort} as a node`)
      expect(told).toEqual([])
    }
  })

  it('as the only node: it gets nothing, and that is the error of the store', async () => {
    const { told, open, foreignPort } = await servers(whole)
    const store = await open('redis+cluster://')
    await expect(store.clock(never)).rejects.toMatchObject({
      code: 'STORE_DENIED',
      message: refused(foreignPort),
    })
    expect(told).toEqual([])
  })

  it.each(['MOVED', 'ASK'])('with %s: it gets nothing, and that is the error of the command', async word => {
    const { told, open, foreignPort } = await servers(
      clusterOf(
        (_, own) => [[0, 16383, ['127.0.0.1', own]]],
        foreign => `-${word} 1 ${stranger}:${foreign}\r\n`,
      ),
    )
    const store = await open('redis+cluster://')
    await expect(store.inspect('lock:a', never)).rejects.toMatchObject({
      code: 'STORE_DENIED',
      message: refused(foreignPort),
    })
    expect(told).toEqual([])
  })

  const sentinel =
    (foreignPort: number): AnswerTo =>
    name =>
      name === 'SENTINEL' ? resp([stranger, String(foreignPort)]) : '+OK\r\n'

  it('as the primary of a Sentinel: neither of them gets the password', async () => {
    const { told, own, open, foreignPort } = await servers(sentinel)
    const store = await open('redis+sentinel://', '/main')
    await expect(store.clock(never)).rejects.toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining(`The Sentinel names ${stranger}:${foreignPort} as the primary`),
    })
    expect(told).toEqual([])
    expect(own.join()).not.toContain(SECRET)
  })

  it('to lock managers and their subscriptions: it gets nothing', async () => {
    const { told, port } = await servers(half)
    const address = parseAddress(`redis+cluster://:${SECRET}@127.0.0.1:${port}`) as RedisAddress
    const provider = createRedisProvider(address, { format: 'token', fencing: false })
    onTestFinished(() => provider.close())
    for (let each = 0; each < 10; each++) {
      await provider.read(`lock:${each}`, never).catch(() => {})
      await provider.listen(`lock:${each}`, () => {}, never).catch(() => {})
    }
    expect(told).toEqual([])
  })

  it.each([
    ['the address has no password', '', null],
    ['the address names it', `?nodes=${stranger}`, SECRET],
  ])('is followed if %s', async (_, more, password) => {
    const { told, open } = await servers(whole)
    const store = await open('redis+cluster://', more, password)
    await store.clock(never)
    expect(told.filter(each => each.startsWith('AUTH'))).toEqual(
      password === null ? [] : expect.arrayContaining([`AUTH ${SECRET}`]),
    )
    expect(told).toContain('TIME')
  })

  it('is followed by a Sentinel if the address names it, and the Sentinel gets no password', async () => {
    const { told, own, open } = await servers(sentinel)
    const store = await open('redis+sentinel://', `/main?nodes=${stranger}`)
    await store.clock(never)
    expect(told).toContain(`AUTH ${SECRET}`)
    expect(own.join()).not.toContain(SECRET)
  })
})

describe('a cluster whose nodes announce names', () => {
  it.each(['localhost', 'node7831.redis.invalid'])(
    'is read at the address of %s, which is that of a given host',
    async name => {
      const told: string[] = []
      const port: number = await startScriptedRedis((command, words) => {
        told.push([command, ...words].join(' '))
        const node = [name, port, 'id', ['ip', '127.0.0.1']]
        if (command === 'CLUSTER') return resp([[0, 16383, node]])
        if (command === 'TIME') return TIME
        return command === 'SCAN' ? resp(['0', []]) : '+OK\r\n'
      })
      const store = await openStore(`redis+cluster://127.0.0.1:${port}`, SECRET)
      onTestFinished(() => store.close())
      expect(await listAll(store)).toMatchObject({ problems: [] })
      expect(told).toContainEqual(expect.stringMatching(/^SCAN/))
    },
  )
})
