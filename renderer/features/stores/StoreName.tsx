import type { StoreColour } from '../../../shared/stores.ts'
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
