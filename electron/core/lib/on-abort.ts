const listeners = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when the signal fires, until the returned function is called. A signal is listened to once, however many wait for
 * it: a thousand listeners would look like a leak, and Node would say so.
 */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  const known = listeners.get(signal)
  const all = known ?? new Set()
  const fire = () => {
    for (const each of [...all]) each()
  }
  if (!known) {
    listeners.set(signal, all)
    signal.addEventListener('abort', fire, { once: true })
  }
  const mine = () => work()
  all.add(mine)
  return () => {
    all.delete(mine)
  }
}
