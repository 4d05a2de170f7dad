import type { ReactNode } from 'react'
import styles from './Empty.module.css'
import { Icon, type IconName } from './Icon.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** The server's own words. */
  readonly quote?: string
  readonly children?: ReactNode
}

/** Explains an empty view, with actions. */
export function Empty({ icon, title, text, quote, children }: Props) {
  return (
    <div className={styles.empty} role="status">
      <Icon name={icon} size={22} />
      <h2>{title}</h2>
      {text !== '' && <p>{text}</p>}
      {quote !== undefined && <p className={styles.quoted}>{quote}</p>}
      {children}
    </div>
  )
}
