import { Cluster, type Redis } from 'ioredis'
import type { RedisClient } from './connect.ts'

/** How many commands go out through a client, whatever node of a cluster they go to. What connecting takes counts too. */
export function countCommands(client: RedisClient): () => number {
  let sent = 0
  const count = (node: Redis) => {
    const send = node.sendCommand
    node.sendCommand = function (this: Redis, ...command: Parameters<typeof send>) {
      sent++
      return send.apply(this, command)
    }
  }
  // Of a cluster only its nodes send: what is given to it goes on to one of them.
  if (client instanceof Cluster) client.on('+node', count)
  else count(client)
  return () => sent
}
