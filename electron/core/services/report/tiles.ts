import type { ReportHead } from '../../../../shared/report-document.ts'
import type { Flows } from '../../../../shared/stats.ts'
import type { Tile, Tone } from './block.ts'
import { FLOWS, sayKnown } from './words.ts'

/** The numbers that are read first. What nobody could count is not zero, and what a part of the stores has is "at least". */
export function tilesOf(head: ReportHead): Tile[] {
  const { stores, figures, actions, alerts, attention, asked } = head
  const { counts, active, flows } = figures.overall
  const isPart = stores.some(({ asOf }) => asOf === null)
  const isPartSeen = figures.stores.some(each => each.figures.flows === null)
  const happened = (name: keyof Flows): Tile => ({
    name: `${FLOWS[name]} in the window`,
    value: sayKnown(flows?.[name] ?? null, isPartSeen, 'not observed'),
  })
  const needed = attention.locks.length + attention.more
  return [
    { name: 'active locks', value: sayKnown(active, isPart) },
    tile('expired, still stored', counts?.expired ?? null, isPart, 'danger'),
    tile('without expiry', counts?.endless ?? null, isPart, 'endless'),
    tile('expiring', counts?.expiring ?? null, isPart, 'warn'),
    ...(['taken', 'freed', 'lapsed', 'passedOn'] as const).map(happened),
    { name: 'needed attention', value: sayKnown(counts === null && needed === 0 ? null : needed, isPart) },
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
    {
      name: 'actions',
      value: sayKnown(actions.audit.ok === null ? null : actions.listed.length + actions.more, false),
    },
  ]
}

function tile(name: string, value: number | null, isPart: boolean, tone: Tone): Tile {
  return { name, value: sayKnown(value, isPart), ...(value ? { tone } : {}) }
}
