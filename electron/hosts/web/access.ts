import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../http/guard.ts'

/** More than one operator opens in all browsers of a machine. */
export const MOST_SESSIONS = 8

/** A browser with a session. */
export type Visitor = {
  /** The digest of its secret. */
  readonly secret: Buffer
  /** What only this host and the page know: it is sent once, when the session begins, and proves to the page who answers. */
  readonly hostKey: string
  openPages: number
  /** Of the last request, or of the moment when its last page was closed. */
  usedAt: number
}

/**
 * A launch token is exchanged once for the secret of a session. Both are 32 random bytes; only their digests are kept, and
 * compared in constant time.
 */
export function createAccess(options: {
  /** A session ends when it had no open page and no request for this long. */
  readonly idleMs: number
  readonly onEnd: (visitor: Visitor) => void
  readonly now?: () => number
}) {
  const { idleMs, onEnd, now = Date.now } = options
  const tokens: Buffer[] = []
  let visitors: Visitor[] = []

  function end(visitor: Visitor): void {
    visitors = visitors.filter(each => each !== visitor)
    onEnd(visitor)
  }

  function endIdle(): void {
    for (const each of visitors) if (each.openPages === 0 && now() - each.usedAt >= idleMs) end(each)
  }

  return {
    newToken(): string {
      const token = randomSecret()
      tokens.push(digest(token))
      // Old addresses that were never used expire.
      if (tokens.length > 5) tokens.shift()
      return token
    },
    /** A new session for a valid token, which is then used up; null for any other. */
    exchange(token: string): { session: string; hostKey: string } | null {
      const index = find(tokens, digest(token))
      if (index < 0) return null
      tokens.splice(index, 1)
      endIdle()
      const [leastUsed] = [...visitors].sort((a, b) => a.usedAt - b.usedAt)
      if (visitors.length >= MOST_SESSIONS && leastUsed) end(leastUsed)
      const [session, hostKey] = [randomSecret(), randomSecret()]
      visitors.push({ secret: digest(session), hostKey, openPages: 0, usedAt: now() })
      return { session, hostKey }
    },
    /** The session that an Authorization header proves. */
    visitor(authorization: string | undefined): Visitor | null {
      endIdle()
      const given = digest(/^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '')
      const secrets = visitors.map(({ secret }) => secret)
      const visitor = visitors[find(secrets, given)]
      if (!visitor) return null
      visitor.usedAt = now()
      return visitor
    },
    closedPage(visitor: Visitor): void {
      visitor.openPages--
      visitor.usedAt = now()
    },
    end,
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function find(known: readonly Buffer[], wanted: Buffer): number {
  let found = -1
  for (const [index, each] of known.entries()) if (timingSafeEqual(each, wanted)) found = index
  return found
}
