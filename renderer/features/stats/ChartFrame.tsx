import type { KeyboardEvent, ReactNode } from 'react'
import { useStore } from 'zustand'
import { preferences } from '../../state/preferences.ts'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { SegmentButtons } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'

type FrameProps = {
  /** The name under which the choice of a table is remembered. */
  readonly name: string
  readonly title: string
  readonly chart: ReactNode
  readonly table: ReactNode
  readonly children?: ReactNode
}

/** A chart, or the same numbers as a table. */
export function ChartFrame({ name, title, chart, table, children }: FrameProps) {
  const tables = useStore(preferences, state => state.asTables)
  const form = tables.includes(name) ? 'table' : 'chart'
  const others = tables.filter(each => each !== name)
  const forms = (
    <SegmentButtons
      label={title}
      className={cardStyles.aside}
      value={form}
      options={[
        ['chart', t.stats.asChart],
        ['table', t.stats.asTable],
      ]}
      onChange={next => preferences.setState({ asTables: next === 'table' ? [...others, name] : others })}
    />
  )
  return (
    <Card
      label={title}
      titled
      aside={
        <>
          {children}
          {forms}
        </>
      }
    >
      {form === 'table' ? table : chart}
    </Card>
  )
}

type DrawingProps = {
  /** Describes the picture in a sentence. */
  readonly label: string
  readonly className: string | undefined
  readonly keys: () => Readonly<Record<string, (() => void) | undefined>>
  readonly onLeave: () => void
  readonly onPointerLeave?: () => void
  readonly children: ReactNode
}

/** A picture that can be read with the keys. */
export function Drawing({ label, className, keys, onLeave, onPointerLeave, children }: DrawingProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const run = keys()[event.key]
    if (!run || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  return (
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys read the picture
      tabIndex={0}
      aria-label={label}
      aria-roledescription={t.stats.chart}
      className={className}
      onKeyDown={onKeyDown}
      onBlur={onLeave}
      onPointerLeave={onPointerLeave}
    >
      {children}
    </div>
  )
}
