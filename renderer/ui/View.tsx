import type { ReactNode, Ref } from 'react'
import titleStyles from './Title.module.css'
import styles from './View.module.css'

type HeadProps = {
  readonly title: string
  /** Stands beside the title. */
  readonly aside?: ReactNode
  readonly children?: ReactNode
}

/** The head of a view that is read from top to bottom. */
export function ViewHead({ title, aside, children }: HeadProps) {
  return (
    <header className={styles.head}>
      <h1 className={titleStyles.title}>
        {title}
        {aside}
      </h1>
      {children}
    </header>
  )
}

type BodyProps = {
  readonly label: string
  readonly ref?: Ref<HTMLDivElement>
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function ViewBody({ label, ref, className = '', children }: BodyProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <div ref={ref} className={`${styles.body} ${className}`} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  )
}
