export const COLUMN_IDS = ['state', 'key', 'holder', 'store', 'format', 'age', 'remaining'] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

/** Width in pixels, or a share of what is left. `key` cannot be hidden: without it a row says nothing. */
export type Column = {
  readonly id: ColumnId
  readonly width: string
  readonly min: number
  readonly fixed?: true
}

export const COLUMNS: readonly Column[] = [
  { id: 'state', width: '92px', min: 92 },
  { id: 'key', width: 'minmax(150px, 2.2fr)', min: 170, fixed: true },
  { id: 'holder', width: 'minmax(100px, 1.3fr)', min: 116 },
  { id: 'store', width: 'minmax(96px, 0.9fr)', min: 104 },
  { id: 'format', width: 'minmax(96px, 0.8fr)', min: 104 },
  { id: 'age', width: '84px', min: 84 },
  { id: 'remaining', width: '190px', min: 190 },
]

/** Given up first when there is no room; the inspector still tells them. */
const GIVEN_UP: readonly ColumnId[] = ['format', 'store', 'age', 'holder']
/** Of the row itself: its mark, its end and the gaps between cells. */
const MARK = 30
const GAP = 10

/** The columns that are shown: what the operator chose, as far as it fits. */
export function shownColumns(hidden: readonly ColumnId[], width: number): readonly Column[] {
  let shown = COLUMNS.filter(column => column.fixed || !hidden.includes(column.id))
  for (const id of GIVEN_UP) {
    if (shown.reduce((sum, column) => sum + column.min + GAP, MARK) <= width) break
    shown = shown.filter(column => column.id !== id)
  }
  return shown
}
