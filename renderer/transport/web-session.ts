/**
 * The secret of this browser's session. Browsers send a cookie to every port of a host, so to servers of other users too; what
 * the page stores, only a page of the same port can read.
 */
const KEY = 'lockkeeper.session'
/** What the host proves to be itself with. It is never sent: once the host has ended, another user's server may listen at its port. */
const HOST_KEY = 'lockkeeper.host'
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
  if (!answer.ok) return
  const { session, hostKey } = (await answer.json()) as { session: string; hostKey: string }
  localStorage.setItem(KEY, session)
  localStorage.setItem(HOST_KEY, hostKey)
}

export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${localStorage.getItem(KEY) ?? ''}` }
}

/** Whether an answer comes from the host where the session began: only that can know the proof for a new nonce. */
export async function isOurHost(nonce: string, proof: unknown): Promise<boolean> {
  const hostKey = localStorage.getItem(HOST_KEY)
  if (hostKey === null) return false
  const bytes = (text: string) => new TextEncoder().encode(text)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(hostKey), hmac, false, ['sign'])
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(nonce)))
  return proof === Array.from(expected, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** False if the host did not answer, and the session may still be valid. */
export async function endSession(): Promise<boolean> {
  const answer = await fetch('/session', { method: 'DELETE', headers: authorization() }).catch(() => null)
  if (answer === null || (!answer.ok && answer.status !== 401)) return false
  localStorage.removeItem(KEY)
  localStorage.removeItem(HOST_KEY)
  return true
}
