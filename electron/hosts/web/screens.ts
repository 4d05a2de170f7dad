import { createHmac, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Core, openSession, type Session } from '../../core/dispatch.ts'
import { WakeableSleep } from '../../core/lib/timers.ts'
import { Refusal } from '../http/refusal.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import type { Visitor } from './access.ts'

const HEARTBEAT_MS = 15_000
/** Browsers have six connections for a host, and each page keeps one. */
export const MOST_PAGES = 8
/** A page that is so far behind is cut off; it reconnects when it reads again. */
const MOST_UNSENT_BYTES = 32 * 1024 * 1024

type Screen = { readonly visitor: Visitor; readonly session: Session; end(): void }

/** The open pages: one stream of frames each, a line per frame, and a session with the core that ends with it. */
export function createScreens(core: Core, onClosed: (visitor: Visitor) => void) {
  const screens = new Map<string, Screen>()

  return {
    /** The answer begins with a proof, for this nonce, that it comes from the host where the session began. */
    open(visitor: Visitor, response: ServerResponse, nonce: string): void {
      if (visitor.openPages >= MOST_PAGES) throw new Refusal(429, 'the session has too many open pages')
      visitor.openPages++
      const id = randomBytes(16).toString('base64url')
      const drain = new WakeableSleep()
      let drained: Promise<void> | undefined
      /** Waits until the page has read what was sent before. */
      const write = (line: string): Promise<void> | undefined => {
        if (response.destroyed || response.writableEnded || response.write(`${line}\n`)) return
        if (response.writableLength > MOST_UNSENT_BYTES) response.destroy()
        drained ??= drain.sleep().then(() => {
          drained = undefined
        })
        return drained
      }
      const session = openSession(core, frame => write(JSON.stringify(frame)))
      // Reveals a connection that died silently.
      const heartbeat = setInterval(() => void write(''), HEARTBEAT_MS)
      screens.set(id, { visitor, session, end: () => response.end() })
      response.on('drain', () => drain.wake())
      response.once('close', () => {
        clearInterval(heartbeat)
        screens.delete(id)
        session.close()
        drain.wake()
        onClosed(visitor)
      })
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': 'application/x-ndjson; charset=utf-8',
        'Cache-Control': 'no-store',
      })
      const proof = createHmac('sha256', visitor.hostKey).update(nonce).digest('hex')
      void write(JSON.stringify({ screen: id, proof }))
    },
    /** False for an unknown screen, and for another visitor's. */
    receive(visitor: Visitor, id: string, frame: unknown): boolean {
      const screen = screens.get(id)
      if (screen === undefined || screen.visitor !== visitor) return false
      screen.session.receive(frame)
      return true
    },
    /** Closes the pages of a visitor, or all. A frame that arrives later finds none. */
    close(visitor?: Visitor): void {
      for (const [id, screen] of screens) {
        if (visitor !== undefined && screen.visitor !== visitor) continue
        screens.delete(id)
        screen.session.close()
        screen.end()
      }
    },
  }
}
