import type { ReactNode } from 'react'
import styles from './Figures.module.css'

type Props = {
  readonly name: string
  readonly unit?: string | undefined
  readonly tone?: string | undefined
  readonly title?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A number with its name, in a list of them. */
export function Figure({ name, unit, tone, title, className = '', children }: Props) {
  return (
    <div className={`${styles.figure} ${className}`} data-figure data-tone={tone} title={title}>
      <dt>{name}</dt>
      <dd>
        {children}
        {unit !== undefined && <span className={styles.unit}> {unit}</span>}
      </dd>
    </div>
  )
}
