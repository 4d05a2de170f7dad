export const COLUMN_IDS = ['state', 'key', 'holder', 'store', 'format', 'age', 'remaining'] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

/** `width` is a grid track, `min` its narrowest form in pixels. */
export type GridColumn<Id extends string> = {
  readonly id: Id
  readonly width: string
  readonly min: number
}

/** `fixed` columns cannot be hidden. */
export type Column = GridColumn<ColumnId> & { readonly fixed?: true }

export const COLUMNS: readonly Column[] = [
  { id: 'state', width: '92px', min: 92 },
  { id: 'key', width: 'minmax(150px, 2.2fr)', min: 170, fixed: true },
  { id: 'holder', width: 'minmax(100px, 1.3fr)', min: 116 },
  { id: 'store', width: 'minmax(96px, 0.9fr)', min: 104 },
  { id: 'format', width: 'minmax(96px, 0.8fr)', min: 104 },
  { id: 'age', width: '84px', min: 84 },
  { id: 'remaining', width: '190px', min: 190 },
]

/** Hidden in this order when there is no room; the inspector shows them. */
const HIDDEN_FIRST: readonly ColumnId[] = ['format', 'store', 'age', 'holder']
/** Width in pixels of the row's mark. */
const MARK = 30

/** The operator's columns, as far as they fit. */
export function shownColumns(hidden: readonly ColumnId[], width: number): readonly Column[] {
  const wanted = COLUMNS.filter(column => column.fixed || !hidden.includes(column.id))
  return fittingColumns(wanted, HIDDEN_FIRST, width - MARK)
}

/** Width in pixels of the gap between cells. */
const GAP = 10

/** The columns that fit into a grid. Those of `droppedFirst` are dropped in this order. */
export function fittingColumns<C extends GridColumn<string>>(
  columns: readonly C[],
  droppedFirst: readonly C['id'][],
  width: number,
): readonly C[] {
  let shown = columns
  for (const id of droppedFirst) {
    if (shown.reduce((sum, column) => sum + column.min + GAP, 0) <= width) break
    shown = shown.filter(column => column.id !== id)
  }
  return shown
}
