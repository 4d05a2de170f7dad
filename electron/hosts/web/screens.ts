import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Core, openSession, type Session } from '../../core/dispatch.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import type { Visitor } from './access.ts'

const HEARTBEAT_MS = 15_000

type Screen = { readonly visitor: Visitor; readonly session: Session; end(): void }

/** The open pages: one event stream each, and a session with the core that ends with it. */
export function createScreens(core: Core) {
  const screens = new Map<string, Screen>()

  return {
    open(visitor: Visitor, response: ServerResponse): void {
      const id = randomBytes(16).toString('base64url')
      const write = (text: string) => {
        if (!response.destroyed && !response.writableEnded) response.write(text)
      }
      const session = openSession(core, frame => write(`data: ${JSON.stringify(frame)}\n\n`))
      // Reveals a connection that died silently.
      const heartbeat = setInterval(() => write(': heartbeat\n\n'), HEARTBEAT_MS)
      screens.set(id, { visitor, session, end: () => response.end() })
      response.once('close', () => {
        clearInterval(heartbeat)
        screens.delete(id)
        session.close()
      })
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
      })
      write(`event: hello\ndata: ${JSON.stringify({ screen: id })}\nretry: 1000\n\n`)
    },
    /** False for an unknown screen, and for another visitor's. */
    receive(visitor: Visitor, id: string, frame: unknown): boolean {
      const screen = screens.get(id)
      if (screen === undefined || screen.visitor !== visitor) return false
      screen.session.receive(frame)
      return true
    },
    closeAll(): void {
      for (const screen of screens.values()) {
        screen.session.close()
        screen.end()
      }
    },
  }
}
