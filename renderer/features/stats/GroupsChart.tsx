import { useMemo } from 'react'
import { useStore } from 'zustand'
import { GROUP_BY, type GroupHistory } from '../../../shared/stats.ts'
import { consoleStore } from '../../state/console.ts'
import { viewStore } from '../../state/view.ts'
import { SegmentButtons } from '../../ui/Segments.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { GROUP_INK, OTHERS_INK } from './ink.ts'
import type { OverTimeLine } from './Legend.tsx'
import { OverTime } from './OverTime.tsx'
import { sayWhen } from './say-when.ts'
import { shadesOf } from './shades.ts'
import { groupSteps, type Span } from './steps.ts'
import { drawnUntil, type StatsAnswer } from './use-stats.ts'

type Props = { readonly answer: StatsAnswer; readonly onZoom: (span: Span | null) => void }

const LONGEST_NAME = 48

/** How many locks each holder, format or part of keys had, over time. */
export function GroupsChart({ answer, onZoom }: Props) {
  const { groups, counts, stats, span, of } = answer
  const end = drawnUntil(answer)
  const formats = useStore(consoleStore, state => state.formats)
  const lines = useMemo(() => {
    const say = (name: string) =>
      of.by === 'format' ? (formats.get(name)?.title ?? name) : shownText(name, LONGEST_NAME)
    return linesOf(groups, say)
  }, [groups, of.by, formats])
  const steps = useMemo(() => groupSteps(groups, counts.series, end), [groups, counts, end])
  const shades = useMemo(() => shadesOf(counts.series, span.from, end), [counts, span, end])
  return (
    <OverTime
      name="groups"
      title={t.stats.groups}
      height={150}
      stacked
      least={4}
      format={t.number}
      describe={t.stats.groupsSaid}
      zoomed={of.zoom !== null}
      latest={sayWhen(stats.stores)}
      {...{ span, lines, steps, shades, onZoom }}
    >
      <GroupsBy />
    </OverTime>
  )
}

/** Others are there when there are any, or nothing else to name. */
function linesOf({ groups, others }: GroupHistory, say: (name: string) => string): OverTimeLine[] {
  const named = groups.map(({ name }, i) => ({
    name: `group ${name}`,
    word: say(name),
    ink: GROUP_INK[i] ?? OTHERS_INK,
  }))
  const isComplete = others.every(count => (count ?? 0) === 0)
  if (isComplete && named.length > 0) return named
  return [...named, { name: 'others', word: t.stats.otherGroups, ink: OTHERS_INK }]
}

function GroupsBy() {
  const by = useStore(viewStore, state => state.groupsBy)
  return (
    <SegmentButtons
      label={t.stats.groupsBy}
      value={by}
      options={GROUP_BY.map(each => [each, t.stats.groupNames[each]] as const)}
      onChange={groupsBy => viewStore.setState({ groupsBy })}
    />
  )
}
