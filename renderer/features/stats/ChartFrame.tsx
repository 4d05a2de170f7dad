import { type ReactNode, useId } from 'react'
import { useStore } from 'zustand'
import { preferences } from '../../state/preferences.ts'
import cardStyles from '../../ui/Card.module.css'
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
    <section className={cardStyles.card} aria-labelledby={titleId}>
      <header className={cardStyles.head}>
        <h2 id={titleId}>{title}</h2>
        {children}
        <SegmentButtons
          label={{ headingId: titleId }}
          className={cardStyles.aside}
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
