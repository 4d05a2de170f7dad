import type { SideNow } from '../../../../shared/switch.ts'

/** Of so many answers the one in the middle counts. One alone says more of the moment than of the store. */
const MOST = 9

/** How long a store takes to answer, by the last few times that it was asked. */
export class Latency {
  #samples: readonly number[] = []

  get count(): number {
    return this.#samples.length
  }

  get now(): Pick<SideNow, 'latencyMs' | 'latencySamples'> {
    const middle = medianOf(this.#samples)
    return { latencyMs: middle === null ? null : Math.round(middle * 10) / 10, latencySamples: this.count }
  }

  add(ms: number): void {
    this.#samples = [...this.#samples, ms].slice(-MOST)
  }

  /** It does not answer, or another one does: what was is no measure of what is. */
  forget(): void {
    this.#samples = []
  }
}

/** The higher one of two in the middle; null of nothing. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
