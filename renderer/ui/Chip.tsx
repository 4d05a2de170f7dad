import type { ComponentProps } from 'react'
import styles from './Chip.module.css'

type Props = ComponentProps<'button'> & {
  readonly tone?: string | undefined
  /** Without a tone of its own. */
  readonly plain?: boolean
}

/** A small button in a row of them. */
export function Chip({ tone, plain = false, className = '', ...rest }: Props) {
  const look = plain ? `${styles.chip} ${styles.plain}` : styles.chip
  return <button type="button" data-tone={tone} {...rest} className={`${look} ${className}`} />
}
