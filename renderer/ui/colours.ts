import { useSyncExternalStore } from 'react'
import { preferences } from '../state/preferences.ts'

/**
 * For what is drawn and not styled: a canvas knows no variables. A colour is looked up as an element would have it, because
 * the variables themselves speak of light and dark.
 */
export function colourOf(variable: string): string {
  const known = found.get(variable)
  if (known !== undefined) return known
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  document.body.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  found.set(variable, colour)
  return colour
}

const found = new Map<string, string>()
const listeners = new Set<() => void>()
let version = 0

function changed(): void {
  found.clear()
  version++
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) start()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let started = false
function start(): void {
  if (started) return
  started = true
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed)
  preferences.subscribe((now, before) => now.theme !== before.theme && changed())
}

/** Goes up when day turns to night or back. */
export function useColourScheme(): number {
  return useSyncExternalStore(subscribe, () => version)
}
