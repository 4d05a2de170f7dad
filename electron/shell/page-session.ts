import type { WebContents } from 'electron'
import { type Core, openSession, type Session } from '../core/dispatch.ts'
import { CHANNEL } from './channel.ts'
import { log } from './log.ts'
import { isOwnSender } from './sender.ts'

/**
 * Connects a window to the core, with one session per loaded page. A session ends when another page has replaced its page, not
 * when the navigation is requested, because most navigations are denied.
 */
export function connectPage(contents: WebContents, core: Core): () => void {
  let session: Session | null = null

  function open(): Session {
    const own = openSession(core, frame => {
      // A late answer belongs to an earlier page; the present one counts its calls from 1 again.
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
      log('refused a message that is not from our page')
      return
    }
    session ??= open()
    session.receive(frame)
  })
  // The main frame only; navigation within a page is another event.
  contents.on('did-navigate', close)
  contents.on('render-process-gone', close)
  contents.on('destroyed', close)
  return close
}
