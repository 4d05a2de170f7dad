/**
 * The secret of this browser's session. Browsers send a cookie to every port of a host, so to servers of other users too; what
 * the page stores, only a page of the same port can read.
 */
const KEY = 'lockkeeper.session'
const LAUNCH_PATH = '/launch'

/** Exchanges the token of a launch address for a session. The token is after the #, which browsers send to no server. */
export async function enterSession(): Promise<void> {
  if (location.pathname !== LAUNCH_PATH) return
  const token = location.hash.slice(1)
  const answer = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  history.replaceState(null, '', '/')
  // A used token leaves the browser with the session that it may have.
  if (answer.ok) localStorage.setItem(KEY, ((await answer.json()) as { session: string }).session)
}

export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${localStorage.getItem(KEY) ?? ''}` }
}

/** False if the host did not answer, and the session may still be valid. */
export async function endSession(): Promise<boolean> {
  const answer = await fetch('/session', { method: 'DELETE', headers: authorization() }).catch(() => null)
  if (answer === null || (!answer.ok && answer.status !== 401)) return false
  localStorage.removeItem(KEY)
  return true
}
