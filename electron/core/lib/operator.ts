import { hostname, userInfo } from 'node:os'

/** Who is at work here, as the operating system knows it. */
export function whoIsHere(): { user: string; host: string; pid: number } {
  return { user: userName(), host: hostname(), pid: process.pid }
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
