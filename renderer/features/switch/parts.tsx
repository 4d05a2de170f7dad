import type { HTMLAttributes, ReactNode } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import type { Side } from '../../../shared/switch.ts'
import { consoleStore } from '../../state/console.ts'
import figureStyles from '../../ui/Figures.module.css'
import numberStyles from '../../ui/NumberTable.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StoreDot } from '../stores/StoreName.tsx'
import styles from './Switch.module.css'

export type Column<Row> = {
  readonly title: ReactNode
  readonly isTitleHidden?: boolean
  /** A `head` names its row. */
  readonly kind?: 'head' | 'number' | 'mono'
  readonly cell: (row: Row) => ReactNode
}

type TableProps<Row> = {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly rowProps?: (row: Row) => HTMLAttributes<HTMLTableRowElement> & { readonly 'data-old'?: boolean }
  readonly className?: string | undefined
}

export function DataTable<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, rowProps, className = '' } = props
  return (
    <table className={`${numberStyles.numbers} ${styles.table} ${className}`}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isTitleHidden }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
            <th key={i} scope="col">
              {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)} {...rowProps?.(row)}>
            {columns.map(({ kind, cell }, i) =>
              kind === 'head' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
                <th key={i} scope="row">
                  {cell(row)}
                </th>
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
                <td key={i} className={kind}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export type Figure = {
  readonly name: string
  readonly value: number | null
  readonly say?: (value: number) => string
  /** The look of a number other than zero. */
  readonly tone?: 'warn' | 'danger' | 'live' | undefined
}

export function Figures({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) {
  return (
    <div className={`${figureStyles.figures} ${styles.figures}`} role="group" aria-label={label}>
      <dl>
        {figures.map(({ name, value, say = t.number, tone }) => (
          <div key={name} className={figureStyles.figure} data-figure data-tone={value ? tone : undefined}>
            <dt>{name}</dt>
            <dd>{value === null ? t.switch.understand.nothing : say(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

type GaugeProps = {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly said: string
  /** Starts again, with a fall that is seen, when this changes to another value than the first. */
  readonly since?: number | null
  readonly hasFallen?: boolean
}

export function Gauge({ label, value, max, said, since, hasFallen }: GaugeProps) {
  return (
    <span
      className={styles.gauge}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={said}
    >
      <span
        key={since}
        className={styles.fill}
        data-fell={hasFallen || undefined}
        style={{ transform: `scaleX(${value / max})` }}
      />
    </span>
  )
}

export function SideName({ side }: { readonly side: Side }) {
  const colour = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === side.storeId)?.colour,
  )
  return (
    <span className={styles.side} title={shownText(side.address, 200)}>
      <StoreDot colour={colour} />
      <strong className="clip">{shownText(side.storeName, 60)}</strong>
      <span className="muted">{kindOf(side.kind).label}</span>
    </span>
  )
}
