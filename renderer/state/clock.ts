import { useSyncExternalStore } from 'react'

/** One clock for all countdowns. It ticks each second while something listens, and not in a hidden window. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | null = null
let now = Date.now()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
  plan()
}

function plan(): void {
  if (timer !== null) clearTimeout(timer)
  timer = listeners.size === 0 || document.hidden ? null : setTimeout(tick, 1000 - (Date.now() % 1000))
}

document.addEventListener('visibilitychange', () => (document.hidden ? plan() : tick()))

export function onTick(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === null) {
    now = Date.now()
    plan()
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) plan()
  }
}

/** The local time, to the second. */
export function useNow(): number {
  return useSyncExternalStore(onTick, () => now)
}
