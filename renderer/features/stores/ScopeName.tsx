import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { setScope, table } from '../../state/table.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Icon } from '../../ui/Icon.tsx'
import titleStyles from '../../ui/Title.module.css'
import { t } from '../../words/words.ts'

/** The store that a view is narrowed to, and the way back to all stores. */
export function ScopeName() {
  const scope = useStore(table, state => state.scope)
  const name = useStore(consoleStore, state => state.entries.find(each => each.storeId === scope)?.name)
  if (name === undefined) return <span className={titleStyles.count}>{t.stats.allStores}</span>
  return (
    <button
      type="button"
      className={chipStyles.chip}
      data-tone="accent"
      title={t.stats.showAll(name)}
      onClick={() => setScope(null)}
    >
      <span className="clip">{name}</span>
      <Icon name="cross" size={10} />
    </button>
  )
}
