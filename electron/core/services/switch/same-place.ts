import type { RedisAddress, StoreAddress } from '../../../../shared/address.ts'

/**
 * Whether two addresses lead to the same locks, whatever account, pattern or format they name. Two names of one server are not
 * seen through: who has them knows.
 */
export function isSamePlace(a: StoreAddress, b: StoreAddress): boolean {
  if (a.kind === 'redis' && b.kind === 'redis') return redisPlace(a) === redisPlace(b)
  if (a.kind === 'mysql' && b.kind === 'mysql')
    return (
      a.host === b.host &&
      a.port === b.port &&
      a.database === b.database &&
      // Without a table it is all of them.
      (a.table === null || b.table === null || a.table === b.table)
    )
  if (a.kind === 'dynamodb' && b.kind === 'dynamodb')
    return a.region === b.region && a.endpoint === b.endpoint && a.table === b.table
  return a.kind === 'memory' && b.kind === 'memory' && a.name === b.name
}

function redisPlace({ hosts, group, db }: RedisAddress): string {
  return JSON.stringify([hosts.map(({ host, port }) => `${host}:${port}`).sort(), group, db])
}
