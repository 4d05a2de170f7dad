import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../http/refusal.ts'

/**
 * Checks the bearer token; without a token, every request of this machine passes. A token that is set but empty is a mistake, and no
 * request passes.
 */
export function bearerCheck(token: string | undefined): (headers: IncomingHttpHeaders) => void {
  if (token === undefined) return () => {}
  const wanted = digest(token)
  return ({ authorization = '' }) => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    // Digests are of one length, whatever was sent, and are compared in constant time.
    const isRight = given !== undefined && timingSafeEqual(digest(given), wanted)
    if (!isRight || token.trim() === '')
      throw new Refusal(401, 'the bearer token is missing or wrong', { 'WWW-Authenticate': 'Bearer' })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
