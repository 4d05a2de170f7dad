import { z } from 'zod'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import {
  addNumbers,
  type Flows,
  type Gap,
  gapSchema,
  type Histogram,
  histogramSchema,
  type Point,
  pointSchema,
  scaleNumbers,
} from '../../../../shared/stats.ts'
import { addHistograms, emptyHistogram, NO_FLOWS, NO_SPENT } from './figures.ts'

/**
 * The time between two passes: the state at its end and the flows in it. A sample begins where the one before ended, unless there
 * is a gap between them. Times are this machine's.
 */
export const sampleSchema = pointSchema.extend({
  from: z.number(),
  until: z.number(),
  /** The lengths of the tenures that ended in it; null if none did. */
  tenureTimes: histogramSchema.nullable(),
})
export type Sample = Readonly<z.infer<typeof sampleSchema>>

/** Why nothing is known after `at`; the reason lasted at least until `until`. */
export const breakSchema = gapSchema
  .pick({ why: true, message: true })
  .extend({ at: z.number(), until: z.number() })
export type Break = Readonly<z.infer<typeof breakSchema>>

/** Passes within this time become one sample: at least two, even if no screen shows the store. */
const SAMPLE_MS = 15_000
/** Fine enough for every chart, however long history is kept. */
const FINEST = 6000
/** With room for samples that gaps cut short. */
const MOST = 12_000
const MOST_BREAKS = 2000
const SLACK_MS = MINUTE_MS
/** How often a long outage is written again. */
export const REWRITE_MS = MINUTE_MS
/** A sample never begins in the very millisecond in which the one before ended. */
const TOUCHING_MS = 5

export class Samples {
  readonly all: Sample[] = []
  readonly #breaks: Break[] = []
  readonly #sampleMs: number
  /** Samples until here were evicted before their time. */
  #droppedUntil = 0

  constructor(readonly keepMs: number) {
    this.#sampleMs = Math.max(SAMPLE_MS, keepMs / FINEST)
  }

  get last(): Sample | undefined {
    return this.all.at(-1)
  }

  /** The end of the last sample or known gap. */
  get knownUntil(): number | null {
    const known = [this.last?.until, this.#breaks.at(-1)?.until].filter(time => time !== undefined)
    return known.length === 0 ? null : Math.max(...known)
  }

  /** Once this machine's clock was set back, the times of later samples mean nothing. */
  forgetAfter(time: number): void {
    this.all.splice(this.#firstEndingAfter(time))
    this.#breaks.splice(0, this.#breaks.length, ...this.#breaks.filter(each => each.until <= time))
  }

  /** Returns the previous sample, if it is complete now. */
  add(sample: Sample): Sample | null {
    const last = this.last
    const touches = last !== undefined && Math.abs(sample.from - last.until) <= TOUCHING_MS
    if (last && touches && sample.until - last.from <= this.#sampleMs) {
      this.all[this.all.length - 1] = {
        ...sample,
        from: last.from,
        flows: addNumbers(last.flows, sample.flows),
        spent: addNumbers(last.spent, sample.spent),
        tenureTimes: addHistograms(last.tenureTimes, sample.tenureTimes),
      }
      return null
    }
    this.all.push(sample)
    this.#prune(sample.until)
    return last ?? null
  }

  /** A break that began when the last one did replaces it. */
  break(one: Break): void {
    if (this.#breaks.at(-1)?.at === one.at) this.#breaks.pop()
    this.#breaks.push(one)
    if (this.#breaks.length > MOST_BREAKS) this.#breaks.shift()
  }

  #prune(now: number): void {
    // Now and then is enough, and cheaper than for every sample.
    const [oldest] = this.all
    if (oldest && oldest.until > now - this.keepMs - SLACK_MS && this.all.length <= MOST) return
    const first = this.all.findIndex(({ until }) => until >= now - this.keepMs)
    const tooOld = first < 0 ? this.all.length : first
    const tooMany = this.all.length - MOST
    if (tooMany > tooOld) this.#droppedUntil = this.all[tooMany - 1]?.until ?? 0
    this.all.splice(0, Math.max(tooOld, tooMany, 0))
  }

  /** The flows of a window, and how much of it was watched. */
  sum(from: number, to: number): { flows: Flows; observedMs: number; tenureTimes: Histogram } {
    let flows = NO_FLOWS
    let observedMs = 0
    let tenureTimes: Histogram | null = null
    for (const sample of this.#within(from, to)) {
      observedMs += Math.max(0, Math.min(to, sample.until) - Math.max(from, sample.from))
      if (sample.until <= from || sample.until > to) continue
      flows = addNumbers(flows, sample.flows)
      tenureTimes = addHistograms(tenureTimes, sample.tenureTimes)
    }
    return { flows, observedMs, tenureTimes: tenureTimes ?? emptyHistogram() }
  }

  /** The points of each step, without its first moment and with its last. */
  points(from: number, stepMs: number, count: number): (Point | null)[] {
    const points: (Point | null)[] = Array.from({ length: count }, () => null)
    for (const sample of this.#within(from, from + stepMs * count)) {
      const end = Math.ceil((sample.until - from) / stepMs) - 1
      const first = Math.max(0, Math.min(end, Math.floor((sample.from - from) / stepMs)))
      // The flows of a sample that is longer than a step are spread evenly over its steps.
      const share = 1 / Math.max(1, end - Math.floor((sample.from - from) / stepMs) + 1)
      for (let i = first; i <= Math.min(end, count - 1); i++) {
        const { flows = NO_FLOWS, spent = NO_SPENT } = points[i] ?? {}
        points[i] = {
          counts: sample.counts,
          flows: addNumbers(flows, scaleNumbers(sample.flows, share)),
          spent: addNumbers(spent, scaleNumbers(sample.spent, share)),
        }
      }
    }
    return points
  }

  /** The gaps between `from` and `to`. `live`: the last sample still grows. */
  gaps(from: number, to: number, live: boolean): Gap[] {
    const gaps: Gap[] = []
    let seenUntil = from
    for (const sample of this.#within(from, to)) {
      if (sample.from > seenUntil + TOUCHING_MS) gaps.push(...this.#gapsBetween(seenUntil, sample.from))
      seenUntil = Math.max(seenUntil, sample.until)
    }
    const isLast = seenUntil >= (this.last?.until ?? 0)
    if (seenUntil < to && !(isLast && live)) {
      const open = this.#gapsBetween(seenUntil, to)
      const last = open.pop()
      if (last) gaps.push(...open, isLast ? { ...last, until: null } : last)
    }
    return gaps
  }

  /** One for each reason. The first reason explains the gap from its beginning, because an outage is noticed a little late. */
  #gapsBetween(from: number, until: number): Gap[] {
    const gaps: Gap[] = []
    for (const [i, { at, why, message, until: knownUntil }] of this.#breaks.entries()) {
      // A long break is rewritten only now and then, and lasts until the next one.
      const next = this.#breaks[i + 1]?.at ?? Infinity
      const wasOver = Math.min(next, knownUntil + REWRITE_MS) <= from || this.#sawBetween(at, from)
      if (at > until || (at < from - TOUCHING_MS && wasOver)) continue
      const last = gaps.at(-1)
      if (last?.why === why && last.message === message) continue
      if (last) gaps[gaps.length - 1] = { ...last, until: at }
      gaps.push({ from: last ? at : from, until, why, message })
    }
    if (gaps.length > 0) return gaps
    const wasEvicted = from < this.#droppedUntil
    const message = wasEvicted ? 'The store came and went so often that its history was evicted.' : null
    return [{ from, until, why: 'away', message }]
  }

  #sawBetween(from: number, to: number): boolean {
    const next = this.all[this.#firstEndingAfter(from + TOUCHING_MS)]
    return next !== undefined && next.until <= to
  }

  *#within(from: number, to: number): Iterable<Sample> {
    for (let i = this.#firstEndingAfter(from); i < this.all.length; i++) {
      const sample = this.all[i] as Sample
      if (sample.from > to) return
      yield sample
    }
  }

  #firstEndingAfter(time: number): number {
    let low = 0
    let high = this.all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.all[middle] as Sample).until < time) low = middle + 1
      else high = middle
    }
    return low
  }
}
