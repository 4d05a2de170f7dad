export type Screen =
  | { readonly kind: 'window'; readonly electron: string }
  /** `home` is the electron package, whose program is missing. */
  | { readonly kind: 'install'; readonly home: string }
  /** `why` is null if the operator chose it. */
  | { readonly kind: 'browser'; readonly why: string | null }

/** A window if possible, after a download if need be; otherwise the browser, with the reason. */
export function chooseScreen(situation: {
  readonly web: boolean
  readonly electron: string | null
  /** The electron package of a checkout. An installed Lockkeeper has none, and downloads nothing. */
  readonly installable: string | null
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
}): Screen {
  const { web, electron, installable, platform, env, isRoot } = situation
  if (web) return { kind: 'browser', why: null }
  if (platform === 'linux') {
    if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return browserBecause('There is no display')
    // Chromium runs as root only without its sandbox: code that breaks out of a page would be root.
    if (isRoot) return browserBecause('A window run by root would need its sandbox off')
  }
  if (electron !== null) return { kind: 'window', electron }
  if (installable !== null) return { kind: 'install', home: installable }
  return browserBecause('Electron is not installed')
}

export function browserBecause(why: string): Screen {
  return { kind: 'browser', why: `${why}, so the console is served to your browser.` }
}
