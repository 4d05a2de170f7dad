import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** Only who was let in gets this far; a plan of a hundred thousand locks fits. */
const LIMIT_BYTES = 64 * 1024 * 1024

/** The JSON that a request brings. A form or plain text, which any page may send without asking, is not read. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json(;\s*charset=utf-8)?$/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'it is not JSON')
  }
  const tooLarge = () => new Refusal(413, 'it is too large', { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > LIMIT_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  try {
    // Not destroyed when we stop early: the refusal still has to go out on the same connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LIMIT_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'it is not well-formed JSON')
  }
}
