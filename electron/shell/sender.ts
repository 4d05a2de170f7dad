import { SCHEME } from './channel.ts'

/** The parts of Electron's frames, contents and messages that are checked. */
export type FrameLike = { readonly url: string }
export type ContentsLike = { readonly mainFrame: FrameLike; isDestroyed(): boolean }
export type MessageLike = { readonly sender: unknown; readonly senderFrame: FrameLike | null }

/** Compares the parts, because a custom scheme has no origin in Node. */
export function isOwnUrl(url: string): boolean {
  try {
    const { protocol, host, username, password } = new URL(url)
    return protocol === `${SCHEME}:` && host === 'console' && username === '' && password === ''
  } catch {
    return false
  }
}

/**
 * Whether a message comes from our page in the main frame of our window. False for a frame that is gone or that Electron
 * does not report.
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
