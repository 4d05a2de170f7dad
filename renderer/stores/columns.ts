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
  { id: 'state', width: '98px', min: 98 },
  { id: 'key', width: 'minmax(150px, 2.2fr)', min: 170, fixed: true },
  { id: 'holder', width: 'minmax(110px, 1.3fr)', min: 120 },
  { id: 'store', width: 'minmax(90px, 0.8fr)', min: 96 },
  { id: 'format', width: 'minmax(96px, 0.7fr)', min: 96 },
  { id: 'age', width: '98px', min: 98 },
  { id: 'remaining', width: '204px', min: 204 },
]

/** Given up first when there is no room; the inspector still tells them. */
const GIVEN_UP: readonly ColumnId[] = ['format', 'store', 'age', 'holder']
/** Of the row itself: its ends and its mark. */
const ASIDE = 44

/** The columns that are shown: what the operator chose, as far as it fits. */
export function shownColumns(hidden: readonly ColumnId[], width: number): readonly Column[] {
  let shown = COLUMNS.filter(column => column.fixed || !hidden.includes(column.id))
  for (const id of GIVEN_UP) {
    if (shown.reduce((sum, column) => sum + column.min, ASIDE) <= width) break
    shown = shown.filter(column => column.id !== id)
  }
  return shown
}
