import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual'
import type { ComponentProps, ReactNode } from 'react'
import styles from './Grid.module.css'

type Props = ComponentProps<'div'> & {
  readonly virtual: Virtualizer<HTMLDivElement, Element>
  readonly rowAt: (item: VirtualItem) => ReactNode
}

/** The rows in view. Before the first are drawn there is nothing to group or scroll, so the body has neither role nor height. */
export function GridBody({ virtual, rowAt, children, ...rest }: Props) {
  const items = virtual.getVirtualItems()
  return (
    <div {...rest} className={styles.body} role={items.length > 0 ? 'rowgroup' : undefined}>
      {items.length > 0 && (
        <div className={styles.space} role="presentation" style={{ height: virtual.getTotalSize() }}>
          {items.map(rowAt)}
        </div>
      )}
      {children}
    </div>
  )
}
