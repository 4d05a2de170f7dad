import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../http/refusal.ts'

/**
 * Lets through who knows the token; without one, everybody whom this machine lets through. A token that is set and empty is a
 * mistake of whoever set it, and lets nobody in.
 */
export function bearerCheck(token: string | undefined): (headers: IncomingHttpHeaders) => void {
  if (token === undefined) return () => {}
  const wanted = digest(token)
  return ({ authorization = '' }) => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    // Digests are of one length, whatever was sent, and are compared in constant time.
    const isRight = given !== undefined && timingSafeEqual(digest(given), wanted)
    if (!isRight || token.trim() === '')
      throw new Refusal(401, 'the token of the metrics is missing or wrong', { 'WWW-Authenticate': 'Bearer' })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
