export type Screen =
  | { readonly kind: 'window'; readonly electron: string }
  /** `why` is null when it was asked for. */
  | { readonly kind: 'browser'; readonly why: string | null }

/** A window where there can be one, and the browser otherwise, saying why. */
export function chooseScreen(situation: {
  readonly web: boolean
  readonly electron: string | null
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
}): Screen {
  const { web, electron, platform, env, isRoot } = situation
  if (web) return { kind: 'browser', why: null }
  const browser = (why: string): Screen => ({
    kind: 'browser',
    why: `${why}, so the console is served to your browser.`,
  })
  if (electron === null) return browser('No Electron binary is installed (npx install-electron gets it)')
  if (platform !== 'linux') return { kind: 'window', electron }
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return browser('There is no display')
  // Chromium does not run as root unless its sandbox is off, and then whatever breaks out of the page is root.
  if (isRoot) return browser('A window run by root would need its sandbox off')
  return { kind: 'window', electron }
}
