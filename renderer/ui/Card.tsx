import type { ComponentProps, ReactNode } from 'react'
import { t } from '../words/words.ts'
import styles from './Card.module.css'
import { LongTable } from './DataTable.tsx'

type CardProps = {
  readonly label: string
  /** Whether the label is shown as well, as a heading. */
  readonly titled?: boolean
  /** Stands beside the heading. */
  readonly aside?: ReactNode
  /** Its numbers are stale: the store does not answer now. */
  readonly isBehind?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function Card({ label, titled, aside, isBehind, className = '', children }: CardProps) {
  return (
    <section className={`${styles.card} ${className}`} aria-label={label} data-behind={isBehind || undefined}>
      {titled && (
        <header className={styles.head}>
          <h2>{label}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

type CountedProps<Row> = Omit<ComponentProps<typeof LongTable<Row>>, 'caption'> & { readonly label: string }

/** A table in a card with the number of its rows; nothing without rows. */
export function CountedTable<Row>({ label, ...table }: CountedProps<Row>) {
  if (table.rows.length === 0) return null
  return (
    <Card label={label} titled aside={<span className="faint number">{t.number(table.rows.length)}</span>}>
      <LongTable caption={label} {...table} />
    </Card>
  )
}
