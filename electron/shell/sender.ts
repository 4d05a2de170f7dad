import { SCHEME } from './channel.ts'

/** What we look at of a frame, of whoever shows it, and of a message. Electron's own types fit. */
export type FrameLike = { readonly url: string }
export type ContentsLike = { readonly mainFrame: FrameLike; isDestroyed(): boolean }
export type MessageLike = { readonly sender: unknown; readonly senderFrame: FrameLike | null }

/** Whether an address is one of the page itself. A custom scheme has no origin in Node, so its parts are compared. */
export function isOwnUrl(url: string): boolean {
  try {
    const { protocol, host, username, password } = new URL(url)
    return protocol === `${SCHEME}:` && host === 'console' && username === '' && password === ''
  } catch {
    return false
  }
}

/**
 * Whether a message comes from our page, in the main frame of our window. Whatever is not certain is refused: a frame that
 * is gone already, or one that Electron no longer tells about.
 */
export function isOwnSender(message: MessageLike, ours: ContentsLike): boolean {
  try {
    const frame = message.senderFrame
    if (frame === null || frame === undefined) return false
    if (message.sender !== ours || ours.isDestroyed()) return false
    return frame === ours.mainFrame && isOwnUrl(frame.url)
  } catch {
    return false
  }
}
