import { sayDuration } from '../../../../shared/duration.ts'
import { sayNumber } from '../../../../shared/numbers.ts'
import type { PlanProgress, PlanSummary } from '../../../../shared/plans.ts'
import { escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'
import type { Io } from '../lib/io.ts'

const BAR = 30
/** Between two lines where there is no terminal to draw on. */
const LINE_EVERY_MS = 5000

/** Prints a bar on a terminal, and a line now and then elsewhere. */
export function progressPrinter({ stderr }: Io) {
  let printedAt = performance.now()
  return {
    show(plan: PlanSummary): void {
      const line = progressLine(plan)
      if (stderr.isTTY) {
        const { total } = plan.progress
        const filled = total === 0 ? BAR : Math.floor((doneOf(plan.progress) / total) * BAR)
        const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
        stderr.write(`\r\x1b[K${`${bar} ${line}`.slice(0, (stderr.columns ?? 100) - 1)}`)
      } else if (performance.now() - printedAt >= LINE_EVERY_MS) {
        printedAt = performance.now()
        stderr.write(`${line}\n`)
      }
    },
    end(): void {
      if (stderr.isTTY) stderr.write('\r\x1b[K')
    },
  }
}

function doneOf({ total, counts }: PlanProgress): number {
  return total - counts.pending - counts.tried
}

function progressLine({ progress, stores }: PlanSummary): string {
  const parts = [
    `${sayNumber(doneOf(progress))} of ${sayNumber(progress.total)}`,
    ...(progress.counts.failed > 0 ? [`${progress.counts.failed} failed`] : []),
    ...paceOf(progress),
  ]
  const [trouble] = progress.troubles
  if (trouble) {
    const { store, error, retryInMs } = trouble
    parts.push(`${escapeForTerminal(stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
    if (retryInMs !== null) parts.push(`retrying in ${sayDuration(retryInMs)}`)
  }
  return parts.join(' · ')
}

function paceOf({ state, perSecond, leftMs }: PlanProgress): string[] {
  if (state === 'checking') return ['checking whether any was re-acquired']
  if (state === 'stopping') return ['stopping']
  return [
    ...(perSecond ? [`${sayNumber(Math.round(perSecond))}/s`] : []),
    ...(leftMs === null ? [] : [`${sayDuration(leftMs, { tenths: false })} left`]),
  ]
}
