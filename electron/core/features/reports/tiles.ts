import { sayNumber } from '../../../../shared/numbers.ts'
import type { ReportHead } from '../../../../shared/report-document.ts'
import type { Tile, Tone } from './block.ts'
import { FLOWS } from './words.ts'

/** The numbers that are read first. What nobody could count is not zero, and what a part of the stores has is "at least". */
export function tilesOf(head: ReportHead): Tile[] {
  const { stores, figures, actions, alerts, attention, asked } = head
  const { counts, active, flows } = figures.overall
  const isPart = stores.some(({ asOf }) => asOf === null)
  const isPartSeen = figures.stores.some(each => each.figures.flows === null)
  const needed = attention.locks.length + attention.more
  return [
    tile('active locks', active, isPart),
    tile('expired, still stored', counts?.expired ?? null, isPart, 'danger'),
    tile('without expiry', counts?.endless ?? null, isPart, 'endless'),
    tile('expiring', counts?.expiring ?? null, isPart, 'warn'),
    ...(['taken', 'freed', 'lapsed', 'passedOn'] as const).map(name => ({
      ...tile(`${FLOWS[name]} in the window`, flows?.[name] ?? null, isPartSeen),
      ...(flows === null ? { value: 'not observed' } : {}),
    })),
    tile('needed attention', counts === null && needed === 0 ? null : needed, isPart),
    ...(alerts === null
      ? []
      : [
          tile(
            'alerts',
            alerts.knownSince > asked.to ? null : alerts.listed.length + alerts.more,
            alerts.knownSince > asked.from,
            'warn',
          ),
        ]),
    tile('actions', actions.audit.ok === null ? null : actions.listed.length + actions.more, false),
  ]
}

function tile(name: string, value: number | null, isPart: boolean, tone?: Tone): Tile {
  if (value === null) return { name, value: 'not known' }
  return {
    ...{ name, value: sayNumber(value) },
    ...(isPart ? { isPart } : {}),
    ...(tone && value > 0 ? { tone } : {}),
  }
}
