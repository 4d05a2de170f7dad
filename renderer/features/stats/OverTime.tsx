import { type ReactNode, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { FLOW_WORDS, GROUP_BY } from '../../../shared/stats.ts'
import { consoleStore } from '../../state/console.ts'
import { viewStore } from '../../state/view.ts'
import { type DataColumn, LongTable } from '../../ui/DataTable.tsx'
import { SegmentButtons } from '../../ui/Field.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import { ChartFrame } from './ChartFrame.tsx'
import { GROUP_INK, type Ink, OTHERS_INK, RATE_INK, STATE_INK } from './ink.ts'
import { sayWhen } from './say-when.ts'
import {
  countSteps,
  groupSteps,
  observedPart,
  rateSteps,
  type Shade,
  type Span,
  type Step,
  shadeWithin,
} from './steps.ts'
import { TimeChart } from './TimeChart.tsx'
import type { StatsAnswer } from './use-stats.ts'

export type Line = { readonly name: string; readonly word: string; readonly ink: Ink }

type Props = {
  readonly answer: StatsAnswer
  readonly onZoom: (span: Span | null) => void
  readonly name: string
  readonly title: string
  readonly height: number
  readonly stacked: boolean
  readonly lines: readonly Line[]
  readonly steps: readonly Step<readonly number[]>[]
  readonly format: (value: number) => string
  readonly describe: (from: number, to: number, now: readonly string[]) => string
  readonly children?: ReactNode
}

/** Numbers over time: the legend has the values of the step under the pointer, the table those of every step. */
export function OverTime(props: Props) {
  const { answer, title, stacked, lines, steps, format } = props
  const { span, shades } = answer
  const [reading, setReading] = useState<Reading | null>(null)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const last = steps.findLast(({ values }) => values !== null)
  const step = reading === null ? last : steps.findLast(({ from }) => from <= reading.at)
  const readAt = reading?.byKeys && step ? step.from : null
  const note = step ? noteOf(step, shades, reading === null) : null
  const drawing = useMemo(() => {
    const shown = lines.flatMap((line, i) => (hidden.includes(line.name) ? [] : [{ line, i }]))
    return {
      look: { lines: shown.map(({ line }) => line), stacked, shades, at: readAt },
      steps: steps.map(({ values, ...when }) => {
        if (values === null) return { ...when, values }
        return observedPart({ ...when, values: shown.map(({ i }) => values[i] ?? 0) }, shades)
      }),
    }
  }, [lines, steps, stacked, shades, hidden, readAt])
  const said = lines.map(({ word }, i) =>
    t.stats.valueOf(word, last?.values ? format(last.values[i] ?? 0) : t.stats.noValue),
  )
  return (
    <ChartFrame
      name={props.name}
      title={title}
      chart={
        <>
          <Legend
            lines={lines}
            values={step?.values ?? null}
            format={format}
            when={reading && step ? t.dateTime(step.until) : sayWhen(answer.stats.stores)}
            stacked={stacked}
            note={note}
            reading={reading}
            hidden={hidden}
            onHide={setHidden}
          />
          <TimeChart
            label={props.describe(span.from, span.to, said)}
            span={span}
            steps={drawing.steps}
            look={drawing.look}
            height={props.height}
            zoomed={answer.of.zoom !== null}
            onPoint={(at, byKeys) => setReading(at === null ? null : { at, byKeys })}
            onZoom={props.onZoom}
          />
        </>
      }
      table={
        <LongTable
          caption={title}
          rows={rowsOf(props)}
          keyOf={({ id }) => id}
          columns={[
            [t.stats.time, ({ until }) => t.dateTime(until), 'head'],
            ...lines.map(({ word }, i): DataColumn<TableRow> => [word, ({ values }) => values[i]]),
            [t.stats.note, ({ note }) => note, 'note'],
          ]}
        />
      }
    >
      {props.children}
    </ChartFrame>
  )
}

type Reading = { readonly at: number; readonly byKeys: boolean }

type LegendProps = Pick<Props, 'lines' | 'stacked' | 'format'> & {
  readonly values: readonly number[] | null
  /** The time of the values. */
  readonly when: string
  readonly note: string | null
  /** Announced when the keys move it. */
  readonly reading: Reading | null
  /** The names of the hidden lines. */
  readonly hidden: readonly string[]
  readonly onHide: (hidden: readonly string[]) => void
}

/** The lines with their values at one time. */
function Legend(props: LegendProps) {
  const { lines, values, format, when, stacked, note, reading, hidden, onHide } = props
  const visible = lines.filter(({ name }) => !hidden.includes(name))
  const toggle = (name: string) =>
    onHide(hidden.includes(name) ? hidden.filter(each => each !== name) : [...hidden, name])
  return (
    <div className={chartStyles.legend} aria-live={reading?.byKeys ? 'polite' : 'off'}>
      <span className={`${chartStyles.time} number`}>{when}</span>
      {lines.map(({ name, word, ink }, i) => (
        <button
          key={name}
          type="button"
          className={chartStyles.item}
          aria-pressed={!hidden.includes(name)}
          title={t.stats.hide(word)}
          disabled={visible.length === 1 && visible[0]?.name === name}
          onClick={() => toggle(name)}
        >
          <span
            className={chartStyles.swatch}
            data-pattern={ink.pattern}
            data-dash={stacked ? undefined : ink.dash.join(' ')}
            style={{ color: `var(${ink.colour})` }}
          />
          {word}{' '}
          <span className={`number ${chartStyles.value}`}>{values ? format(values[i] ?? 0) : '–'}</span>
        </button>
      ))}
      {note !== null && (
        <span className={chartStyles.note} title={t.stats.countedAsSeen}>
          {note}
        </span>
      )}
      {note === null && reading === null && (
        <span className={`${chartStyles.hint} faint`}>{t.stats.hint}</span>
      )}
    </div>
  )
}

type TableRow = {
  readonly id: string
  readonly until: number
  readonly values: readonly string[]
  readonly note: string | null
}

/** Newest first. The steps of one gap are one row. */
function rowsOf({ steps, answer: { shades }, format }: Props): TableRow[] {
  let gap: Shade | null = null
  return steps.toReversed().flatMap(step => {
    const { from, until, values } = step
    const shade = shadeWithin(shades, from, until)
    const before = gap
    gap = values === null ? shade : null
    if (gap !== null && gap === before) return []
    const id = String(from)
    if (gap) return [{ id, until: gap.until, values: [], note: sayShade(gap) }]
    return [{ id, until, values: values?.map(format) ?? [t.stats.noValue], note: noteOf(step, shades) }]
  })
}

/** A step that was partly observed has a value, and needs no note. */
function noteOf(
  { from, until, values }: Step<readonly number[]>,
  shades: readonly Shade[],
  isLatest = false,
): string | null {
  const shade = shadeWithin(shades, from, until)
  return shade?.whole && values !== null ? null : sayShade(shade, isLatest)
}

/** Notices above the charts show the current errors, so the latest step omits them. */
function sayShade(shade: Shade | null, isLatest = false): string | null {
  if (!shade) return null
  const reasons = shade.missing.map(({ name, why, message }) => {
    const quote = message === null || isLatest ? null : sentence(message).replace(/\.$/, '')
    return t.stats.reason(shownText(name, 60), why, quote)
  })
  return shade.whole ? t.stats.gap(shade.from, shade.until, reasons) : t.stats.incomplete(reasons)
}

type ChartProps = { readonly answer: StatsAnswer; readonly onZoom: (span: Span | null) => void }

const STATE_LINES = linesOf(STATE_INK, t.stats.states)
const RATE_LINES = linesOf(RATE_INK, FLOW_WORDS)

export function CountsChart(props: ChartProps) {
  const steps = countSteps(props.answer.counts, props.answer.until)
  // Few stores have locks in an unknown state.
  const hasUnknown = steps.some(({ values }) => values && values.unknown > 0)
  const lines = hasUnknown ? STATE_LINES : STATE_LINES.filter(({ name }) => name !== 'unknown')
  return (
    <OverTime
      {...props}
      name="counts"
      title={t.stats.counts}
      height={190}
      stacked
      lines={lines}
      steps={inOrder(steps, lines)}
      format={t.number}
      describe={t.stats.countsSaid}
    />
  )
}

export function RatesChart(props: ChartProps) {
  const steps = rateSteps(props.answer.rates, props.answer.until)
  return (
    <OverTime
      {...props}
      name="rates"
      title={t.stats.rates}
      height={120}
      stacked={false}
      lines={RATE_LINES}
      steps={inOrder(steps, RATE_LINES)}
      format={t.stats.rate}
      describe={t.stats.ratesSaid}
    />
  )
}

const LONGEST_NAME = 48

/** How many locks each holder, format or part of keys had, over time. */
export function GroupsChart(props: ChartProps) {
  const { groups, counts, until, of } = props.answer
  const by = useStore(viewStore, state => state.groupsBy)
  const formats = useStore(consoleStore, state => state.formats)
  const wordOf = (name: string) =>
    of.by === 'format' ? (formats.get(name)?.title ?? name) : shownText(name, LONGEST_NAME)
  const named: Line[] = groups.groups.map(({ name }, i) => ({
    name: `group ${name}`,
    word: wordOf(name),
    ink: GROUP_INK[i] ?? OTHERS_INK,
  }))
  const hasOthers = groups.others.some(count => count !== null && count > 0)
  const others: Line = { name: 'others', word: t.stats.otherGroups, ink: OTHERS_INK }
  return (
    <OverTime
      {...props}
      name="groups"
      title={t.stats.groups}
      height={150}
      stacked
      lines={hasOthers || named.length === 0 ? [...named, others] : named}
      steps={groupSteps(groups, counts.series, until)}
      format={t.number}
      describe={t.stats.groupsSaid}
    >
      <SegmentButtons
        label={t.stats.groupsBy}
        value={by}
        options={GROUP_BY.map(each => [each, t.stats.groupNames[each]] as const)}
        onChange={groupsBy => viewStore.setState({ groupsBy })}
      />
    </OverTime>
  )
}

function linesOf<K extends string>(
  inks: Readonly<Record<K, Ink>>,
  words: Readonly<Record<NoInfer<K>, string>>,
) {
  const names = Object.keys(inks) as K[]
  return names.map(name => ({ name, word: words[name], ink: inks[name] }))
}

function inOrder<K extends string>(
  steps: readonly Step<Record<K, number>>[],
  lines: readonly { readonly name: K }[],
): Step<number[]>[] {
  return steps.map(({ values, ...step }) => ({
    ...step,
    values: values && lines.map(({ name }) => values[name]),
  }))
}
