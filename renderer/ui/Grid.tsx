import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual'
import type { ComponentProps, CSSProperties, ReactNode } from 'react'
import type { GridColumn } from '../state/columns.ts'
import styles from './Grid.module.css'
import type { useGrid } from './use-grid.ts'

type GridProps<Id extends string> = ComponentProps<'div'> &
  Pick<HeadProps<Id>, 'titleOf' | 'sort'> & {
    readonly grid: ReturnType<typeof useGrid>
    readonly columns: readonly GridColumn<Id>[]
    readonly rowAt: BodyProps['rowAt']
    readonly body?: ComponentProps<'div'>
  }

/** A grid of virtual rows. The grid has the focus and names its active row, so there is one of them at a time in each dialog. */
export function Grid<Id extends string>(props: GridProps<Id>) {
  const { grid, columns, titleOf, sort, rowAt, body, children, ...rest } = props
  const { virtual, activeIndex } = grid
  return (
    <div
      role="grid"
      aria-rowcount={virtual.options.count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={activeIndex >= 0 ? rowIdAt(rest.id, activeIndex) : undefined}
      tabIndex={0}
      style={{ '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties}
      onKeyDown={grid.onKeyDown}
      {...rest}
    >
      <GridHead columns={columns} titleOf={titleOf} sort={sort} />
      <GridBody ref={grid.scroller} virtual={virtual} rowAt={rowAt} {...body}>
        {children}
      </GridBody>
    </div>
  )
}

/** The page's id of a row in view. */
function rowIdAt(gridId: string | undefined, index: number): string {
  return `${gridId}-row-${index}`
}

type HeadProps<Id extends string> = {
  readonly columns: readonly { readonly id: Id }[]
  readonly titleOf: (id: Id) => ReactNode
  /** For a grid that can be sorted. */
  readonly sort?: { readonly column: string; readonly descending: boolean } | undefined
}

export function GridHead<Id extends string>({ columns, titleOf, sort }: HeadProps<Id>) {
  const direction = sort?.descending ? 'descending' : 'ascending'
  return (
    <div role="rowgroup" className={styles.head}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid or the buttons in the row have the focus */}
      <div role="row" aria-rowindex={1} className={`${styles.row} ${styles.heads}`}>
        {columns.map(({ id }, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the grid or the button in the cell has the focus
          <div
            key={id}
            role="columnheader"
            aria-colindex={i + 1}
            className={styles.cell}
            data-column={id}
            aria-sort={sort && (sort.column === id ? direction : 'none')}
          >
            {titleOf(id)}
          </div>
        ))}
      </div>
    </div>
  )
}

type BodyProps = ComponentProps<'div'> & {
  readonly virtual: Virtualizer<HTMLDivElement, Element>
  readonly rowAt: (item: VirtualItem) => ReactNode
}

/** The rows in view. Before the first are drawn there is nothing to group or scroll, so the body has neither role nor height. */
export function GridBody({ virtual, rowAt, children, ...rest }: BodyProps) {
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

/** Where a row stands in its grid. */
export type RowPlace<Id extends string> = {
  readonly columns: readonly GridColumn<Id>[]
  readonly index: number
  readonly top: number
  readonly active: boolean
}

type RowProps<Id extends string> = ComponentProps<'div'> &
  RowPlace<Id> & {
    readonly gridId: string
    readonly cellOf: (id: Id) => ReactNode
  }

export function GridRow<Id extends string>(props: RowProps<Id>) {
  const { gridId, columns, index, top, active, cellOf, className = '', children, ...rest } = props
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
    <div
      id={rowIdAt(gridId, index)}
      role="row"
      aria-rowindex={index + 2}
      className={`${styles.row} ${className}`}
      data-active={active || undefined}
      style={{ transform: `translateY(${top}px)` }}
      {...rest}
    >
      {children}
      {columns.map(({ id }, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
        <div key={id} role="gridcell" aria-colindex={i + 1} className={styles.cell} data-column={id}>
          {cellOf(id)}
        </div>
      ))}
    </div>
  )
}
