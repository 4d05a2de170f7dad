import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** Fits a plan of a hundred thousand locks. For browsers with a session. */
export const LARGE_BODY_BYTES = 64 * 1024 * 1024
/** Of all bodies that are being read. */
const MOST_BYTES = 2 * LARGE_BODY_BYTES

let bytesInMemory = 0

/** The JSON body of a request. Forms and plain text are refused: any site may send those without a preflight. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  if (!/^application\/json(;\s*charset=utf-8)?$/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body is not JSON')
  }
  const tooLarge = () => new Refusal(413, 'the body is too large', { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The connection stays open when the loop stops early: the refusal is sent on it.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      bytesInMemory += chunk.length
      if (size > limitBytes) throw tooLarge()
      if (bytesInMemory > MOST_BYTES)
        throw new Refusal(503, 'too much is being sent', { Connection: 'close' })
      chunks.push(chunk)
    }
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body is not well-formed JSON')
  } finally {
    bytesInMemory -= size
  }
}
