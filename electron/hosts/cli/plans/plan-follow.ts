import type { Client } from '../../../../shared/client.ts'
import { sayDuration } from '../../../../shared/duration.ts'
import { sayNumber } from '../../../../shared/numbers.ts'
import {
  isExcluded,
  type PlanEntry,
  type PlanProgress,
  type PlanResult,
  type PlanSummary,
} from '../../../../shared/plans.ts'
import { escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'
import { CliError } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'

/** What is known of a plan. `entries` are those that are not excluded. */
export type Followed = {
  readonly plan: PlanSummary
  readonly entries: readonly PlanEntry[]
  readonly results: ReadonlyMap<number, PlanResult | null>
  readonly returned: readonly number[]
}

/** Follows a plan until `until` says that it knows enough. */
export function followPlan(
  client: Client,
  planId: string,
  until: (known: Followed) => boolean,
  onProgress: (plan: PlanSummary) => void = () => {},
): Promise<Followed> {
  let plan: PlanSummary | null = null
  let returned: readonly number[] = []
  const all: PlanEntry[] = []
  const results = new Map<number, PlanResult | null>()
  return new Promise((resolve, reject) => {
    let settled = false
    const look = () => {
      if (plan === null || all.length < plan.count || settled) return
      const { exclusions } = plan
      const entries = exclusions.length === 0 ? all : all.filter(entry => !isExcluded(entry, exclusions))
      const known = { plan, entries, results, returned }
      if (!until(known)) return
      settled = true
      // Not while the stream is being opened: `close` is not there yet.
      queueMicrotask(() => close())
      resolve(known)
    }
    const close = client.open(
      'plans.watch',
      { planId },
      event => {
        switch (event.type) {
          case 'plan':
            plan = event.plan
            break
          case 'progress':
            if (plan) plan = { ...plan, progress: event.progress }
            break
          case 'entries':
            for (const entry of event.entries) all.push(entry)
            break
          case 'results':
            for (const { n, result } of event.results) results.set(n, result)
            break
          case 'returned':
            returned = event.places
        }
        if (plan && (event.type === 'plan' || event.type === 'progress')) onProgress(plan)
        look()
      },
      result => {
        if (!result.ok) reject(new CliError(result.error))
      },
    )
  })
}

/** Whether a run is over and everything about it has arrived. */
export function isOver({ plan, results, returned }: Followed): boolean {
  const { state, counts } = plan.progress
  if (state !== 'done' && state !== 'stopped') return false
  const told = [...results.values()].filter(result => result !== null).length
  const known = Object.entries(counts).reduce((sum, [name, n]) => (name === 'pending' ? sum : sum + n), 0)
  return told >= known && returned.length >= (plan.progress.returned ?? 0)
}

const BAR = 30
/** Where there is no terminal to draw on, a line is enough now and then. */
const LINE_EVERY_MS = 5000

/** A bar on a terminal, lines elsewhere, nothing beside JSON. */
export function progressPrinter(
  io: Io,
  quiet: boolean,
): { show: (plan: PlanSummary) => void; end: () => void } {
  if (quiet) return { show: () => {}, end: () => {} }
  if (!io.stderr.isTTY) {
    let saidAt = performance.now()
    return {
      show: plan => {
        if (performance.now() - saidAt < LINE_EVERY_MS) return
        saidAt = performance.now()
        io.stderr.write(`${sayProgress(plan)}\n`)
      },
      end: () => {},
    }
  }
  return {
    show: plan => {
      const { total, counts } = plan.progress
      const done = total - counts.pending - counts.tried
      const filled = total === 0 ? BAR : Math.floor((done / total) * BAR)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
      const line = `${bar} ${sayProgress(plan)}`
      io.stderr.write(`\r\x1b[K${line.slice(0, (io.stderr.columns ?? 100) - 1)}`)
    },
    end: () => io.stderr.write('\r\x1b[K'),
  }
}

function sayProgress(plan: PlanSummary): string {
  const { progress } = plan
  const done = progress.total - progress.counts.pending - progress.counts.tried
  const [trouble] = progress.troubles
  const parts = [
    `${sayNumber(done)} of ${sayNumber(progress.total)}`,
    ...(progress.counts.failed > 0 ? [`${progress.counts.failed} failed`] : []),
    ...sayPace(progress),
    ...(trouble
      ? [
          `${escapeForTerminal(plan.stores[trouble.store]?.name ?? '')}: ${neutralise(trouble.error.message)}`,
          ...(trouble.retryInMs === null ? [] : [`trying again in ${sayDuration(trouble.retryInMs)}`]),
        ]
      : []),
  ]
  return parts.join(' · ')
}

function sayPace({ state, perSecond, leftMs }: PlanProgress): string[] {
  if (state === 'checking') return ['looking whether any came back']
  if (state === 'stopping') return ['stopping']
  return [
    ...(perSecond ? [`${sayNumber(Math.round(perSecond))}/s`] : []),
    ...(leftMs === null ? [] : [`${sayDuration(leftMs, { tenths: false })} left`]),
  ]
}
