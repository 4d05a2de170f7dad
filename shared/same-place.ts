import type { RedisAddress, StoreAddress } from './address.ts'

/**
 * Whether two addresses lead to the same locks, whatever account, pattern or format they name. Names of one server other than
 * those of this machine are not seen through: who has them knows.
 */
export function isSamePlace(a: StoreAddress, b: StoreAddress): boolean {
  if (a.kind === 'redis' && b.kind === 'redis') return isSameRedis(a, b)
  if (a.kind === 'mysql' && b.kind === 'mysql')
    return (
      placeOf(a) === placeOf(b) &&
      a.database === b.database &&
      // Without a table it is all of them.
      (a.table === null || b.table === null || a.table === b.table)
    )
  if (a.kind === 'dynamodb' && b.kind === 'dynamodb')
    return a.region === b.region && endpointOf(a.endpoint) === endpointOf(b.endpoint) && a.table === b.table
  return a.kind === 'memory' && b.kind === 'memory' && a.name === b.name
}

/** A cluster or a group of sentinels is known by any of its members. */
function isSameRedis(a: RedisAddress, b: RedisAddress): boolean {
  const places = new Set(a.hosts.map(placeOf))
  return a.group === b.group && a.db === b.db && b.hosts.some(each => places.has(placeOf(each)))
}

function placeOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${hostOf(host)}:${port}`
}

function endpointOf(endpoint: string | null): string | null {
  const [, scheme, host = '', port = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]+)(:\d+)?\/?$/i.exec(endpoint ?? '') ?? []
  return scheme === undefined ? endpoint : `${scheme.toLowerCase()}://${hostOf(host)}${port}`
}

function hostOf(host: string): string {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || /^127(\.\d+){3}$/.test(name) ? 'localhost' : name
}
