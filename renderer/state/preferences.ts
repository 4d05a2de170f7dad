import { createStore } from 'zustand/vanilla'
import { COLUMN_IDS, type ColumnId } from './columns.ts'
import { STATS_WINDOWS, type StatsWindow } from './windows.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Sort = { readonly column: ColumnId | 'attention'; readonly descending: boolean }

const KEY = 'lockkeeper.preferences'
const DEFAULTS = {
  theme: 'system' as (typeof THEMES)[number],
  hiddenColumns: [] as readonly ColumnId[],
  sort: { column: 'attention', descending: false } as Sort,
  /** How far back statistics look. */
  statsWindow: '15m' as StatsWindow,
  /** Of the charts, those that are shown as tables. */
  asTables: [] as readonly string[],
}
type Preferences = Readonly<typeof DEFAULTS>

export const preferences = createStore<Preferences>(read)

preferences.subscribe(state => {
  apply(state)
  try {
    localStorage.setItem(KEY, JSON.stringify(state))
  } catch {
    // Without storage the choice lasts as long as the page.
  }
})
apply(preferences.getState())

function apply({ theme }: Preferences): void {
  document.documentElement.dataset['theme'] = theme
}

/** Uses only the values that are valid: an earlier version or another page may have written them. */
function read(): Preferences {
  let kept: Partial<Preferences> = {}
  try {
    kept = (JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {}) as Partial<Preferences>
  } catch {}
  const isColumn = (id: unknown): id is ColumnId => COLUMN_IDS.some(each => each === id)
  const column = kept.sort?.column
  return {
    theme: THEMES.find(each => each === kept.theme) ?? DEFAULTS.theme,
    hiddenColumns: Array.isArray(kept.hiddenColumns) ? kept.hiddenColumns.filter(isColumn) : [],
    sort: isColumn(column) ? { column, descending: kept.sort?.descending === true } : DEFAULTS.sort,
    statsWindow: STATS_WINDOWS.find(each => each === kept.statsWindow) ?? DEFAULTS.statsWindow,
    asTables: Array.isArray(kept.asTables) ? kept.asTables.filter(each => typeof each === 'string') : [],
  }
}

/** The first click sorts, the second reverses, the third sorts by attention again. */
export function sortBy(column: ColumnId): void {
  const { sort } = preferences.getState()
  const first = column === 'age'
  if (sort.column !== column) preferences.setState({ sort: { column, descending: first } })
  else if (sort.descending === first) preferences.setState({ sort: { column, descending: !first } })
  else preferences.setState({ sort: DEFAULTS.sort })
}

export function toggleColumn(column: ColumnId): void {
  const { hiddenColumns } = preferences.getState()
  const others = hiddenColumns.filter(each => each !== column)
  const isHidden = others.length < hiddenColumns.length
  preferences.setState({ hiddenColumns: isHidden ? others : [...hiddenColumns, column] })
}
