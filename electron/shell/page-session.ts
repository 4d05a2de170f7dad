import type { WebContents } from 'electron'
import { type Core, openSession, type Session } from '../core/dispatch.ts'
import { CHANNEL } from './channel.ts'
import { log } from './log.ts'
import { isOwnSender } from './sender.ts'

/**
 * Joins a window to the core: one session for each page that was loaded. It ends when another page takes its place, and not
 * already when one is asked for, because most of those are denied.
 */
export function connectPage(contents: WebContents, core: Core): () => void {
  let session: Session | null = null

  function open(): Session {
    const own = openSession(core, frame => {
      // An answer that comes late belongs to a page that is gone; the next one counts its calls from 1 again.
      if (session === own && !contents.isDestroyed()) contents.send(CHANNEL, frame)
    })
    return own
  }
  function close(): void {
    const old = session
    session = null
    old?.close()
  }

  contents.ipc.on(CHANNEL, (event, frame: unknown) => {
    if (!isOwnSender(event, contents)) {
      log('a message was refused: it is not from our page')
      return
    }
    session ??= open()
    session.receive(frame)
  })
  // The main frame only; moving about within a page is another event.
  contents.on('did-navigate', close)
  contents.on('render-process-gone', close)
  contents.on('destroyed', close)
  return close
}
