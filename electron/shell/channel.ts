/** The one IPC channel, in both directions. */
export const CHANNEL = 'lockkeeper'

/** The page's own address, which nothing else can have: our protocol, our host. */
export const SCHEME = 'lockkeeper'
export const ORIGIN = `${SCHEME}://console`
export const HOME = `${ORIGIN}/`
