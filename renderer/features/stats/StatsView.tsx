import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { preferences } from '../../state/preferences.ts'
import { table } from '../../state/table.ts'
import { viewStore } from '../../state/view.ts'
import { STATS_WINDOWS } from '../../state/windows.ts'
import { Chip } from '../../ui/Chip.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { SegmentButtons } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { sentence, t } from '../../words/words.ts'
import { NoStores } from '../locks/EmptyTable.tsx'
import { ScopeName } from '../stores/StoreName.tsx'
import { FiguresRow, GroupList, HistogramChart, StoresTable } from './Cards.tsx'
import { CountsChart, GroupsChart, RatesChart } from './OverTime.tsx'
import styles from './Stats.module.css'
import { isOld } from './say-when.ts'
import type { Span } from './steps.ts'
import { Timeline } from './Timeline.tsx'
import { type StatsAnswer, useStats } from './use-stats.ts'

const POINT_PX = 2
const MOST_POINTS = 720

export function StatsView() {
  const scope = useStore(table, state => state.scope)
  const window = useStore(preferences, state => state.statsWindow)
  const by = useStore(viewStore, state => state.groupsBy)
  const [zoom, setZoom] = useState<{ of: string; span: Span } | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const points = usePoints(box)
  // The zoom ends with another store or window.
  const question = `${scope} ${window}`
  const span = zoom?.of === question ? zoom.span : null
  const { answer, error } = useStats({ scope, window, zoom: span, points, by })
  return (
    <>
      <ViewHead title={t.stats.title} aside={<ScopeName />}>
        {span && (
          <Chip tone="accent" title={t.stats.unzoom} onClick={() => setZoom(null)}>
            {t.stats.zoomed(span.from, span.to)} <span aria-hidden="true">×</span>
            <span className="visually-hidden">{t.stats.unzoom}</span>
          </Chip>
        )}
        <SegmentButtons
          label={t.stats.window}
          className={styles.windows}
          value={window}
          options={STATS_WINDOWS.map(each => [each, t.stats.windows[each]] as const)}
          onChange={statsWindow => {
            preferences.setState({ statsWindow })
            setZoom(null)
          }}
        />
      </ViewHead>
      <ViewBody ref={box} label={t.stats.title}>
        <ErrorNotice role="status" what={t.stats.failed} error={error} />
        {answer?.stats.stores.some(store => store.asOf !== null) ? (
          <Numbers answer={answer} scope={scope} onZoom={to => setZoom(to && { of: question, span: to })} />
        ) : (
          <NothingYet answer={answer} />
        )}
      </ViewBody>
    </>
  )
}

/** Takes the place of the numbers until a store has been read. */
function NothingYet({ answer }: { readonly answer: StatsAnswer | null }) {
  const hasNoStores = useStore(
    consoleStore,
    state => state.entriesKnown && !state.entries.some(each => each.open),
  )
  if (hasNoStores) return <NoStores />
  if (!answer) return <Empty icon="again" title={t.stats.loading} text="" />
  for (const { name, error } of answer.stats.stores)
    if (error) {
      const quote = sentence(error.message)
      return <Empty icon="alert" title={t.empty.down(name)} text={t.empty.downText} quote={quote} />
    }
  return <Empty icon="again" title={t.stats.nothingYet} text={t.stats.nothingYetText} />
}

type NumbersProps = {
  readonly answer: StatsAnswer
  readonly scope: string | null
  readonly onZoom: (span: Span | null) => void
}

function Numbers({ answer, scope, onZoom }: NumbersProps) {
  const { stats, span } = answer
  const { overall, stores, at } = stats
  const formats = useStore(consoleStore, state => state.formats)
  return (
    <>
      {stores.filter(isOld).map(({ storeId, name, asOf, error }) => (
        <p key={storeId} className={viewStyles.notice} role="status">
          {t.stats.notLive(name, asOf)} {error && sentence(error.message)}
        </p>
      ))}
      {stats.notice !== null && (
        <p className={`${viewStyles.notice} ${viewStyles.calm}`} role="status">
          {sentence(stats.notice)}
        </p>
      )}
      <FiguresRow answer={answer} />
      <CountsChart answer={answer} onZoom={onZoom} />
      <RatesChart answer={answer} onZoom={onZoom} />
      <GroupsChart answer={answer} onZoom={onZoom} />
      <Timeline scope={scope} span={span} />
      <div className={`${styles.cards} ${styles.two}`}>
        <HistogramChart
          name="tenure-times"
          title={t.stats.tenureTimes}
          histogram={overall.tenureTimes}
          empty={t.stats.nothingEnded}
          unmeasured={t.stats.unmeasured}
        />
        <HistogramChart
          name="remaining"
          title={t.stats.remaining}
          histogram={overall.remaining}
          empty={t.stats.nothingHeld}
          unmeasured={t.stats.states.endless}
        />
      </div>
      <div className={`${styles.cards} ${styles.four}`}>
        <GroupList title={t.stats.byHolder} groups={overall.byHolder} />
        <GroupList title={t.stats.byPrefix} groups={overall.byPrefix} />
        <GroupList title={t.stats.byName} groups={overall.byName} />
        <GroupList
          title={t.stats.byFormat}
          groups={overall.byFormat}
          say={format => formats.get(format)?.title ?? format}
        />
      </div>
      <StoresTable stores={stores} at={at} />
    </>
  )
}

function usePoints(box: React.RefObject<HTMLDivElement | null>): number {
  const [points, setPoints] = useState(MOST_POINTS / 2)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      // In coarse steps, because each number of points is another query.
      setPoints(Math.min(MOST_POINTS, Math.max(90, Math.round(element.clientWidth / POINT_PX / 90) * 90))),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return points
}
