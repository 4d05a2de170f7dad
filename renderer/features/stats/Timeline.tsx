import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Hold, Holds } from '../../../shared/stats.ts'
import { book } from '../../state/console.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { ask } from '../../state/plan.ts'
import { viewStore } from '../../state/view.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { ChartFrame, NumberTable } from './ChartFrame.tsx'
import { KeyPicker } from './KeyPicker.tsx'
import type { Span } from './steps.ts'
import { sayHolder, sayLength, TimelineChart } from './TimelineChart.tsx'
import { holderKey } from './timeline.ts'

const MOST_HOLDS = 500

type Props = { readonly scope: string | null; readonly span: Span }

/** Who held a lock, and when. The lock is chosen here or in the inspector. */
export function Timeline({ scope, span }: Props) {
  const target = useStore(viewStore, state => state.timelineOf)
  const box = useRef<HTMLDivElement>(null)
  const shownAlready = useRef(target)
  const holds = useHolds(target, span)
  useLayoutEffect(() => {
    if (target === null) return
    // Chosen elsewhere: whoever asked for it wants to see it.
    if (shownAlready.current !== target || !wasSeen) box.current?.scrollIntoView({ block: 'center' })
    shownAlready.current = target
    wasSeen = true
    return () => {
      wasSeen = false
    }
  }, [target])
  const first = holds?.holds[0]
  const row = target && book.rows.get(rowIdOf(target.storeId, target.id))
  const key = first?.key ?? row?.lock.key ?? target?.id ?? ''
  const holders = new Set(holds?.holds.map(holderKey)).size
  return (
    <div ref={box}>
      <ChartFrame
        name="timeline"
        title={t.stats.timeline}
        chart={
          holds && holds.holds.length > 0 ? (
            <TimelineChart
              label={t.stats.timelineSaid(shownText(key, 120), holds.holds.length, holders)}
              holds={holds}
              span={span}
            />
          ) : (
            <p className="card-note muted">{target === null ? t.stats.chooseFirst : t.stats.noHolds}</p>
          )
        }
        table={
          holds && holds.holds.length > 0 ? (
            <HoldsTable holds={holds.holds} now={span.to} caption={shownText(key, 120)} />
          ) : (
            <p className="card-note muted">{target === null ? t.stats.chooseFirst : t.stats.noHolds}</p>
          )
        }
      >
        {target !== null && (
          <span className="mono clip timeline-key" title={shownText(key)}>
            {shownText(key, 200)}
          </span>
        )}
        <KeyPicker
          scope={scope}
          onChoose={({ storeId, id }) => viewStore.setState({ timelineOf: { storeId, id } })}
        />
      </ChartFrame>
      {holds !== null && holds.left > 0 && holds.holds.length >= MOST_HOLDS && (
        <p className="card-note faint">{t.stats.left(holds.left)}</p>
      )}
    </div>
  )
}

/** Whether the timeline on the screen has been scrolled to: the view may have just been opened for it. */
let wasSeen = false

function useHolds(target: { storeId: string; id: string } | null, { from, to }: Span): Holds | null {
  const [held, setHeld] = useState<{ of: typeof target; holds: Holds } | null>(null)
  useEffect(() => {
    if (target === null) return
    let wanted = true
    const { storeId, id } = target
    void ask('stats.holds', { storeIds: [storeId], id, from, to, limit: MOST_HOLDS }).then(answer => {
      if (wanted && answer.ok) setHeld({ of: target, holds: answer.value })
    })
    return () => {
      wanted = false
    }
  }, [target, from, to])
  return held && held.of === target ? held.holds : null
}

type HoldsProps = { readonly holds: readonly Hold[]; readonly now: number; readonly caption: string }

function HoldsTable({ holds, now, caption }: HoldsProps) {
  return (
    <NumberTable
      caption={caption}
      head={Object.values(t.stats.holdColumns)}
      rows={holds.toReversed().map(hold => ({
        id: `${hold.from} ${holderKey(hold)}`,
        cells: [
          sayHolder(hold),
          t.stats.holdFrom(hold.from, hold.begin),
          t.stats.holdUntil(hold.until, hold.end),
          sayLength(hold, now),
          t.number(hold.renewals),
        ],
      }))}
    />
  )
}
