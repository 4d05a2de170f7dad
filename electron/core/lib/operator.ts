import { hostname, userInfo } from 'node:os'

/** Who is at work here, as the operating system knows it. */
export function whoIsHere(): { user: string; host: string; pid: number } {
  return { user: userName(), host: hostname(), pid: process.pid }
}

/** The account that sudo was called from, by the environment that sudo set. */
export function sudoUser(env: NodeJS.ProcessEnv): { sudoUser?: string } {
  const name = env['SUDO_USER']
  return name ? { sudoUser: name } : {}
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
