import type { Redis } from 'ioredis'
import { isNotPermitted } from './failure.ts'
import { runScript, script } from './script.ts'

/**
 * The id of the run, which is another one after every start, and those of the data: a replica has its primary's, and keeps it as the
 * second one when it is promoted. Empty for a proxy without any.
 */
export async function serverIdsOf(node: Redis): Promise<string[]> {
  const run = fieldOf(await node.info('server'), 'run_id')
  const replication = await node.info('replication')
  const data = ['master_replid', 'master_replid2'].map(name => fieldOf(replication, name))
  return [run, ...data].flatMap(id => (id === undefined || /^0*$/.test(id) ? [] : [`redis ${id}`]))
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
}

/** Product and version. INFO may be denied; almost every account may use HELLO, on Redis 6 and later. */
export async function serverName(node: Redis): Promise<string> {
  const info = await node.info('server').catch(() => '')
  const field = (name: string) => fieldOf(info, name)
  const valkey = field('valkey_version')
  if (valkey) return `Valkey ${valkey}`
  const version = field('redis_version')
  if (version) return `Redis ${version}`
  const hello = (await node.call('HELLO').catch(() => [])) as unknown[]
  const at = hello.indexOf('version')
  return at < 0 ? 'Redis' : `Redis ${String(hello[at + 1])}`
}

/** What the account may do, without doing it. Before Redis 7 a script cannot check: the account counts as permitted. */
const PROBE = script(
  `
if not redis.acl_check_cmd then return { 1, 1 } end
return { redis.acl_check_cmd('DEL', KEYS[1]) and 1 or 0, redis.acl_check_cmd('PUBLISH', 'lock:released:probe', '') and 1 or 0 }
`,
  'read-only',
)

export async function probeRelease(
  node: Redis,
  pattern: string | null,
): Promise<{ release: boolean; notify: boolean; script: boolean }> {
  // Accounts are often limited to keys of a prefix: the probe uses a key that the pattern covers.
  const key = pattern === null ? 'lockkeeper:probe' : pattern.replace(/[*?[\\].*$/s, '')
  const role = await node.role().catch(() => [])
  const isPrimary = role[0] === undefined || String(role[0]) === 'master'
  const script = await runScript(node, PROBE, [Buffer.from(key)], []).catch(error => {
    if (!isNotPermitted(error)) throw error
    return null
  })
  const allowed = script ?? (await probeQueued(node, ['DEL', key], ['PUBLISH', 'lock:released:probe', '']))
  const [release, notify] = (allowed as readonly number[]).map(each => Number(each) === 1 && isPrimary)
  return { release: release === true, notify: notify === true, script: script !== null }
}

/** Without scripts: a transaction checks each command as it is queued, and is then discarded. */
async function probeQueued(
  node: Redis,
  ...commands: readonly (readonly [string, ...string[]])[]
): Promise<number[]> {
  const connection = node.duplicate({ lazyConnect: true })
  connection.on('error', () => {})
  const permitted = (name: string, words: string[]) =>
    connection.call(name, words).then(
      () => 1,
      error => {
        if (isNotPermitted(error)) return 0
        throw error
      },
    )
  try {
    await connection.connect()
    if (!(await permitted('WATCH', ['lockkeeper:probe'])) || !(await permitted('MULTI', []))) return []
    const allowed: number[] = []
    for (const [name, ...words] of commands) allowed.push(await permitted(name, words))
    return allowed
  } finally {
    // Disconnecting discards what was queued.
    connection.disconnect()
  }
}
