/** The one IPC channel, in both directions. */
export const CHANNEL = 'lockkeeper'

/** The page's address: our protocol, our host. */
export const SCHEME = 'lockkeeper'
export const ORIGIN = `${SCHEME}://console`
export const HOME = `${ORIGIN}/`
