import { isIPv4 } from 'node:net'
import { authPlugins } from 'mysql2'
import type { PoolOptions } from 'mysql2/promise'
import type { MysqlAddress } from './address.ts'

/** The code of the driver's error when the server sent a key that it is not trusted with. */
export const KEY_REFUSED = 'PUBLIC_KEY_REFUSED'

/**
 * Without TLS, two login methods encrypt the password with a key that the server sends, and an impostor sends its own. They are
 * replaced by ones that refuse the key, unless the server is on this machine or the address allows it. The driver then begins
 * with another method, and the server asks it to switch.
 */
export function loginMethods(address: MysqlAddress): Pick<PoolOptions, 'authPlugins'> {
  if (address.tls || address.allowPublicKeyRetrieval || isLoopback(address.host)) return {}
  const onServerPublicKey = () => {
    throw Object.assign(new Error('The key of the server is not trusted'), { code: KEY_REFUSED })
  }
  return {
    authPlugins: {
      caching_sha2_password: authPlugins.caching_sha2_password({ onServerPublicKey }),
      sha256_password: authPlugins.sha256_password({ onServerPublicKey }),
    },
  }
}

/** Names under localhost are left out: a name server may have an answer for them. */
function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
