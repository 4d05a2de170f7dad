import { once } from 'node:events'
import { Redis } from 'ioredis'

/** Everything that clients send to a server from now on, by command. What scripts do inside the server is not sent. */
export type Counter = {
  counts(): Promise<ReadonlyMap<string, number>>
  total(): Promise<number>
  stop(): void
}

export async function countCommands(port: number): Promise<Counter> {
  const watcher = new Redis({ port, protocol: 2 })
  const client = new Redis({ port, protocol: 2 })
  await Promise.all([once(watcher, 'ready'), once(client, 'ready')])
  const monitor = await watcher.monitor()
  const counts = new Map<string, number>()
  let heard: (() => void) | null = null
  let mark = ''
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const command = (args[0] ?? '').toLowerCase()
    if (args[1] === mark) heard?.()
    // Ours, and what belongs to making a connection.
    if (source === 'lua' || ['echo', 'client', 'select', 'hello', 'info', 'auth'].includes(command)) return
    counts.set(command, (counts.get(command) ?? 0) + 1)
  })
  const upToNow = async () => {
    const told = new Promise<void>(resolve => {
      heard = resolve
    })
    mark = `mark-${Math.random()}`
    await client.echo(mark)
    await told
    return counts
  }
  return {
    counts: upToNow,
    total: async () => [...(await upToNow()).values()].reduce((sum, count) => sum + count, 0),
    stop() {
      monitor.disconnect()
      watcher.disconnect()
      client.disconnect()
    },
  }
}
