// biome-ignore-all lint/suspicious/noArrayIndexKey: a column has its place and nothing else
import type { ReactNode } from 'react'
import styles from './DataTable.module.css'

/** A `head` names its row. */
export type DataColumn<Row> = readonly [
  title: ReactNode,
  cell: (row: Row) => ReactNode,
  kind?: 'head' | 'number' | 'mono' | 'note',
]

type Props<Row> = {
  readonly caption: string
  readonly columns: readonly DataColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** For the style sheet. */
  readonly lookOf?: (row: Row) => string | undefined
  readonly className?: string | undefined
}

export function DataTable<Row>(props: Props<Row>) {
  const { caption, columns, rows, keyOf, lookOf, className = '' } = props
  return (
    <table className={`${styles.table} ${className}`}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(([title], i) => (
            <th key={i} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)} data-look={lookOf?.(row)}>
            {columns.map(([, cell, kind], i) => {
              const Cell = kind === 'head' ? 'th' : 'td'
              const look = kind === 'head' ? { scope: 'row' } : { className: kind, 'data-kind': kind }
              return (
                <Cell key={i} {...look}>
                  {cell(row)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A table that scrolls if it is long, also with the keys. */
export function LongTable<Row>(props: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <div className={styles.box} tabIndex={0} role="group" aria-label={props.caption}>
      <DataTable {...props} />
    </div>
  )
}
