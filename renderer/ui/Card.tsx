import type { ReactNode } from 'react'
import styles from './Card.module.css'

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
