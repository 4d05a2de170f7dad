import type { ColumnId } from '../../state/columns.ts'
import { preferences } from '../../state/preferences.ts'

/** Once sorts, again turns it round, and a third time goes back to what needs attention first. */
export function sortBy(column: ColumnId): void {
  const { sort } = preferences.getState()
  if (sort.column !== column) preferences.setState({ sort: { column, descending: column === 'age' } })
  else if (sort.descending === (column === 'age'))
    preferences.setState({ sort: { column, descending: !sort.descending } })
  else preferences.setState({ sort: { column: 'attention', descending: false } })
}

export function toggleColumn(column: ColumnId): void {
  const { hiddenColumns } = preferences.getState()
  preferences.setState({
    hiddenColumns: hiddenColumns.includes(column)
      ? hiddenColumns.filter(each => each !== column)
      : [...hiddenColumns, column],
  })
}
