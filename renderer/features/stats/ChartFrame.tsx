import { type ReactNode, useId } from 'react'
import { useStore } from 'zustand'
import { preferences } from '../../state/preferences.ts'
import { SegmentButtons } from '../../ui/Segments.tsx'
import { t } from '../../words/words.ts'

type Props = {
  /** By which it is remembered whether it is shown as a table. */
  readonly name: string
  readonly title: string
  readonly chart: ReactNode
  readonly table: ReactNode
  readonly children?: ReactNode
}

/** A chart and the same numbers as a table, for whoever would rather read them. */
export function ChartFrame({ name, title, chart, table, children }: Props) {
  const titleId = useId()
  const asTable = useStore(preferences, state => state.asTables.includes(name))
  return (
    <section className="card" aria-labelledby={titleId}>
      <header className="card-head">
        <h2 id={titleId}>{title}</h2>
        {children}
        <SegmentButtons
          label={{ headingId: titleId }}
          className="card-switch"
          value={asTable ? 'table' : 'chart'}
          options={[
            ['chart', t.stats.asChart],
            ['table', t.stats.asTable],
          ]}
          onChange={form => showAsTable(name, form === 'table')}
        />
      </header>
      {asTable ? table : chart}
    </section>
  )
}

function showAsTable(name: string, asTable: boolean): void {
  const others = preferences.getState().asTables.filter(each => each !== name)
  preferences.setState({ asTables: asTable ? [...others, name] : others })
}

type TableProps = {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly string[]; readonly note?: string }[]
}

/** Long ones scroll, and can be scrolled with the keys. */
export function NumberTable({ caption, head, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <div className="numbers-box" tabIndex={0} role="group" aria-label={caption}>
      <table className="numbers">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
              <th key={i} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [first, ...cells], note }) => (
            <tr key={id}>
              <th scope="row">{first}</th>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
                <td key={i}>{cell}</td>
              ))}
              {note !== undefined && (
                <td className="numbers-note" colSpan={head.length - 1 - cells.length}>
                  {note}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
