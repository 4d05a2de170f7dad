import type { Words } from '../../words/en.ts'

export type PlanColumnId = Exclude<keyof Words['plans']['list']['columns'], 'now'>
export type PlanColumn = { readonly id: PlanColumnId; readonly width: string; readonly min: number }

const COLUMNS: readonly PlanColumn[] = [
  { id: 'mark', width: '22px', min: 22 },
  { id: 'state', width: '88px', min: 88 },
  { id: 'key', width: 'minmax(140px, 2fr)', min: 150 },
  { id: 'holder', width: 'minmax(90px, 1.2fr)', min: 100 },
  { id: 'store', width: 'minmax(80px, 0.8fr)', min: 90 },
  { id: 'held', width: '92px', min: 92 },
  { id: 'ends', width: '116px', min: 116 },
  { id: 'result', width: 'minmax(130px, 1.4fr)', min: 140 },
]

/** Columns to drop in this order when the grid is narrow. The key and the result stay. */
const DROPPED_FIRST: readonly PlanColumnId[] = ['store', 'ends', 'held', 'state', 'holder']
const GAP = 10
/** Of the grid, beside its columns. */
const MARGIN = 8

export function planColumns(width: number, wantsResult: boolean): readonly PlanColumn[] {
  let shown = COLUMNS.filter(column => wantsResult || column.id !== 'result')
  for (const id of DROPPED_FIRST) {
    if (shown.reduce((sum, column) => sum + column.min + GAP, MARGIN) <= width) break
    shown = shown.filter(column => column.id !== id)
  }
  return shown
}
