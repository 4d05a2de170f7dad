import { useStore } from 'zustand'
import { FLOW_WORDS, GROUP_BY } from '../../../shared/stats.ts'
import { consoleStore } from '../../state/console.ts'
import { viewStore } from '../../state/view.ts'
import { SegmentButtons } from '../../ui/Field.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { GROUP_INK, type Ink, OTHERS_INK, RATE_INK, STATE_INK } from './ink.ts'
import { type Line, OverTime } from './OverTime.tsx'
import { countSteps, groupSteps, rateSteps, type Span, type Step } from './steps.ts'
import type { StatsAnswer } from './use-stats.ts'

type Props = { readonly answer: StatsAnswer; readonly onZoom: (span: Span | null) => void }

const STATE_LINES = linesOf(STATE_INK, t.stats.states)
const RATE_LINES = linesOf(RATE_INK, FLOW_WORDS)

export function CountsChart(props: Props) {
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

export function RatesChart(props: Props) {
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
export function GroupsChart(props: Props) {
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
