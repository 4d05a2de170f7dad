import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { preferences } from '../state/preferences.ts'

const cache = new Map<string, string>()
/** Increases when the color scheme changes. */
const scheme = createStore(() => 0)

function onChange(): void {
  cache.clear()
  scheme.setState(version => version + 1)
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange)
preferences.subscribe((now, before) => now.theme !== before.theme && onChange())

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

export function useColourScheme(): number {
  return useStore(scheme)
}
