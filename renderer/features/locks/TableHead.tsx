import { useStore } from 'zustand'
import type { Column } from '../../state/columns.ts'
import { preferences, sortBy } from '../../state/preferences.ts'
import gridStyles from '../../ui/Grid.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'
import styles from './TableHead.module.css'

export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  const sort = useStore(preferences, each => each.sort)
  return (
    <div role="rowgroup" className={gridStyles.head}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons are */}
      <div role="row" aria-rowindex={1} className={`${gridStyles.row} ${gridStyles.heads}`}>
        <span aria-hidden="true" />
        {columns.map(({ id }, i) => {
          const sorted = sort.column === id
          const direction = sort.descending ? 'descending' : 'ascending'
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: its button is
            <div
              key={id}
              role="columnheader"
              aria-colindex={i + 1}
              aria-sort={sorted ? direction : 'none'}
              className={gridStyles.cell}
              data-column={id}
            >
              <button type="button" className={styles.sort} onClick={() => sortBy(id)}>
                {t.table.columns[id]}
                {sorted && <Icon name={sort.descending ? 'down' : 'up'} size={10} />}
              </button>
            </div>
          )
        })}
      </div>
    </div>
  )
}
