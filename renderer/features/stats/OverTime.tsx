import { type ReactNode, useMemo, useState } from 'react'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { Legend, type OverTimeLine } from './Legend.tsx'
import { observedPart, type Shade, shadeWithin } from './shades.ts'
import type { Span, Step } from './steps.ts'
import { TimeChart } from './TimeChart.tsx'

type Props = {
  readonly name: string
  readonly title: string
  readonly height: number
  readonly span: Span
  readonly lines: readonly OverTimeLine[]
  readonly steps: readonly Step<readonly number[]>[]
  readonly shades: readonly Shade[]
  readonly stacked: boolean
  readonly least: number
  readonly format: (value: number) => string
  readonly describe: (from: number, to: number, now: readonly string[]) => string
  readonly zoomed: boolean
  /** When the last numbers are of. */
  readonly latest: string
  readonly onZoom: (span: Span | null) => void
  /** Beside the title. */
  readonly children?: ReactNode
}

/** Numbers over time: what is pointed at is read out beside the title, and everything is in the table. */
export function OverTime(props: Props) {
  const { name, title, span, steps, shades, stacked, least, format } = props
  const [reading, setReading] = useState<{ at: number; byKeys: boolean } | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const at = reading?.at ?? null
  const step =
    at === null ? steps.findLast(({ values }) => values !== null) : steps.findLast(({ from }) => from <= at)
  const shown = useMemo(() => {
    const places = props.lines.map((_, i) => i).filter(i => !hidden.has(props.lines[i]?.name ?? ''))
    return {
      lines: places.flatMap(i => props.lines[i] ?? []),
      steps: steps.map(({ values, ...when }) =>
        values === null
          ? { ...when, values }
          : observedPart({ ...when, values: places.map(i => values[i] ?? 0) }, shades),
      ),
    }
  }, [props.lines, steps, shades, hidden])
  const readAt = reading?.byKeys && step ? step.from : null
  const look = useMemo(
    () => ({ lines: shown.lines, stacked, shades, least, at: readAt }),
    [shown.lines, stacked, shades, least, readAt],
  )
  const last = steps.findLast(({ values }) => values !== null)?.values
  const said = props.lines.map(({ word }, i) =>
    t.stats.valueOf(word, last ? format(last[i] ?? 0) : t.stats.noValue),
  )
  return (
    <ChartFrame
      name={name}
      title={title}
      chart={
        <>
          <Legend
            lines={props.lines}
            values={step?.values ?? null}
            format={format}
            at={at === null ? null : (step?.until ?? null)}
            latest={props.latest}
            asLines={!stacked}
            note={step ? noteOf(step, shades, at === null) : null}
            live={reading?.byKeys === true}
            hidden={hidden}
            onToggle={line => setHidden(before => toggled(before, line))}
          />
          <TimeChart
            label={props.describe(span.from, span.to, said)}
            span={span}
            steps={shown.steps}
            look={look}
            height={props.height}
            at={readAt}
            zoomed={props.zoomed}
            onPoint={(to, byKeys) => setReading(to === null ? null : { at: to, byKeys })}
            onZoom={props.onZoom}
          />
        </>
      }
      table={
        <NumberTable
          caption={title}
          head={[t.stats.time, ...props.lines.map(({ word }) => word), t.stats.note]}
          rows={rowsOf(props)}
        />
      }
    >
      {props.children}
    </ChartFrame>
  )
}

/** The last one first. Steps of one gap are one row. */
function rowsOf({ steps, shades, format }: Props) {
  const rows: { id: string; cells: string[]; note?: string; gap?: Shade }[] = []
  for (const { from, until, values } of steps.toReversed()) {
    const shade = shadeWithin(shades, from, until)
    if (values === null && shade) {
      if (rows.at(-1)?.gap === shade) continue
      rows.push({
        id: String(from),
        cells: [t.dateTime(shade.until)],
        note: sayShade(shade) ?? '',
        gap: shade,
      })
      continue
    }
    const cells = values === null ? [t.stats.noValue] : values.map(format)
    const note = noteOf({ from, until, values }, shades)
    rows.push({ id: String(from), cells: [t.dateTime(until), ...cells], note: note ?? '' })
  }
  return rows
}

/** Of a step that was observed in part there is a value, and nothing more to say. What a server said just now is said elsewhere. */
function noteOf(
  { from, until, values }: Step<readonly number[]>,
  shades: readonly Shade[],
  isLatest = false,
): string | null {
  const shade = shadeWithin(shades, from, until)
  return shade?.whole && values !== null ? null : sayShade(shade, isLatest)
}

function sayShade(shade: Shade | null, isLatest = false): string | null {
  if (!shade) return null
  const reasons = shade.missing.map(({ name, why, message }) =>
    t.stats.reason(
      shownText(name, 60),
      why,
      message === null || isLatest ? null : sentence(message).replace(/\.$/, ''),
    ),
  )
  return shade.whole ? t.stats.gap(shade.from, shade.until, reasons) : t.stats.incomplete(reasons)
}

function toggled(hidden: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(hidden)
  if (!next.delete(name)) next.add(name)
  return next
}
