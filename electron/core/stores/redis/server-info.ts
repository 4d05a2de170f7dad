import type { Redis } from 'ioredis'
import { isNotPermitted } from './connect.ts'
import { runScript, script } from './script.ts'

/** Product and version. INFO may be denied; HELLO is allowed to almost everybody, on Redis 6 and later. */
export async function serverName(node: Redis): Promise<string> {
  const info = await node.info('server').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const valkey = field('valkey_version')
  if (valkey) return `Valkey ${valkey}`
  const version = field('redis_version')
  if (version) return `Redis ${version}`
  const hello = (await node.call('HELLO').catch(() => [])) as unknown[]
  const at = hello.indexOf('version')
  return at < 0 ? 'Redis' : `Redis ${String(hello[at + 1])}`
}

/**
 * Asks what the account may do without doing it. Before Redis 7 a script cannot ask; there an account that may run
 * scripts is taken to be allowed, and a release says otherwise without having changed anything.
 */
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
  // Accounts are often limited to keys of a prefix: ask about a key that the pattern covers.
  const key = pattern === null ? 'lockkeeper:probe' : pattern.replace(/[*?[\\].*$/s, '')
  try {
    const [del, publish] = (await runScript(node, PROBE, [Buffer.from(key)], [])) as [number, number]
    const role = await node.role().catch(() => [])
    const primary = role[0] === undefined || String(role[0]) === 'master'
    return { release: del === 1 && primary, notify: publish === 1 && primary, script: true }
  } catch (error) {
    if (!isNotPermitted(error)) throw error
    return { release: false, notify: false, script: false }
  }
}
