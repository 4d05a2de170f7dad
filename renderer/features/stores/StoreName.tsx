import { useStore } from 'zustand'
import type { StoreColour } from '../../../shared/stores.ts'
import { consoleStore } from '../../state/console.ts'
import { setScope, table } from '../../state/table.ts'
import { Chip } from '../../ui/Chip.tsx'
import { Icon } from '../../ui/Icon.tsx'
import titleStyles from '../../ui/Title.module.css'
import { t } from '../../words/words.ts'
import styles from './StoreName.module.css'

type DotProps = { readonly colour: StoreColour | undefined; readonly title?: string | undefined }

export function StoreDot({ colour, title }: DotProps) {
  return <span className={styles.dot} data-colour={colour} title={title} />
}

export function ProductionBadge({ title }: { readonly title?: string }) {
  return (
    <span className={styles.production} title={title}>
      {t.sidebar.production}
    </span>
  )
}

/** The badge where there is no room for the word. */
export function ProductionMark({ title }: { readonly title?: string }) {
  return (
    <span className={styles.mark} title={title}>
      {t.sidebar.productionMark}
    </span>
  )
}

type NameProps = {
  readonly name: string
  readonly production: boolean
  readonly colour?: StoreColour | undefined
}

/** A store in a cell of a grid. */
export function StoreName({ name, production, colour }: NameProps) {
  return (
    <span className={`clip ${styles.name}`}>
      {colour !== undefined && <StoreDot colour={colour} />}
      <span className="clip">{name}</span>
      {production && <ProductionMark />}
    </span>
  )
}

/** The store that narrows a view; pressing it shows all stores. */
export function ScopeName() {
  const scope = useStore(table, state => state.scope)
  const name = useStore(consoleStore, state => state.entries.find(each => each.storeId === scope)?.name)
  if (name === undefined) return <span className={titleStyles.count}>{t.stats.allStores}</span>
  return (
    <Chip tone="accent" title={t.stats.showAll(name)} onClick={() => setScope(null)}>
      <span className="clip">{name}</span>
      <Icon name="cross" size={10} />
    </Chip>
  )
}
