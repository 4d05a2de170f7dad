import type { ComponentProps } from 'react'
import styles from './Button.module.css'

type Props = ComponentProps<'button'> & {
  readonly look?: 'primary' | 'danger' | 'quiet' | 'link' | undefined
  /** Stands at the start of its line, apart from the buttons after it. */
  readonly start?: boolean
}

export function Button({ look, start = false, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      data-look={look}
      data-start={start || undefined}
      {...rest}
      className={`${look === 'link' ? styles.link : styles.button} ${className}`}
    />
  )
}
