import { useSyncExternalStore } from 'react'
import { preferences } from '../state/preferences.ts'

/** A CSS variable as a color for a canvas. An element resolves it, because the variables contain `light-dark()`. */
export function colourOf(variable: string): string {
  const cached = cache.get(variable)
  if (cached !== undefined) return cached
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  document.body.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  cache.set(variable, colour)
  return colour
}

const cache = new Map<string, string>()
const listeners = new Set<() => void>()
let version = 0

function changed(): void {
  cache.clear()
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

/** Increases when the color scheme changes. */
export function useColourScheme(): number {
  return useSyncExternalStore(subscribe, () => version)
}
