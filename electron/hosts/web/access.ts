import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../http/guard.ts'

/** A browser with a session: the digest of its secret. */
export type Visitor = Buffer

/**
 * A launch token is exchanged once for a session cookie. Both are 32 random bytes; only their digests are kept, and compared in
 * constant time.
 */
export function createAccess(port: () => number) {
  const tokens: Buffer[] = []
  const visitors: Visitor[] = []
  // Browsers send a cookie to every port of a host; the name keeps two consoles apart.
  const cookieName = () => `lockkeeper-${port()}`

  return {
    newToken(): string {
      const token = randomBytes(32).toString('base64url')
      tokens.push(digest(token))
      // Old addresses that were never used expire.
      if (tokens.length > 5) tokens.shift()
      return token
    },
    /** The Set-Cookie header for a valid token, which is then used up; null for any other. */
    exchange(token: string): string | null {
      const index = find(tokens, digest(token))
      if (index < 0) return null
      tokens.splice(index, 1)
      const secret = randomBytes(32).toString('base64url')
      visitors.push(digest(secret))
      return `${cookieName()}=${secret}; Path=/; HttpOnly; SameSite=Strict`
    },
    visitor(cookieHeader: string | undefined): Visitor | null {
      for (const pair of (cookieHeader ?? '').split(';')) {
        const [name, value] = pair.trim().split('=', 2)
        if (name !== cookieName() || value === undefined) continue
        const visitor = visitors[find(visitors, digest(value))]
        if (visitor) return visitor
      }
      return null
    },
  }
}

function find(known: readonly Buffer[], wanted: Buffer): number {
  let found = -1
  for (const [index, each] of known.entries()) if (timingSafeEqual(each, wanted)) found = index
  return found
}
