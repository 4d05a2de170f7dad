import type { ComponentProps } from 'react'
import styles from './NavItem.module.css'

type Props = ComponentProps<'button'> & { readonly current?: 'page' | 'true' | false | undefined }

/** An entry of the navigation at the left. */
export function NavItem({ current, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={`${styles.item} ${className}`}
      aria-current={current === false ? undefined : current}
    />
  )
}
