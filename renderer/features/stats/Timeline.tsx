import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { LockTenure, Tenures } from '../../../shared/stats.ts'
import { ask, book } from '../../state/console.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { viewStore } from '../../state/view.ts'
import cardStyles from '../../ui/Card.module.css'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { KeyPicker } from './KeyPicker.tsx'
import type { Span } from './steps.ts'
import timelineStyles from './Timeline.module.css'
import { sayHolder, sayLength, TimelineChart } from './TimelineChart.tsx'
import { holderKey } from './timeline.ts'

const MOST_TENURES = 500

type Props = { readonly scope: string | null; readonly span: Span }

/** Who held a lock, and when. The lock is chosen here or in the inspector. */
export function Timeline({ scope, span }: Props) {
  const target = useStore(viewStore, state => state.timelineOf)
  const box = useRef<HTMLDivElement>(null)
  const shownAlready = useRef(target)
  const tenures = useTenures(target, span)
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
  const first = tenures?.tenures[0]
  const row = target && book.rows.get(rowIdOf(target.storeId, target.id))
  const key = first?.key ?? row?.lock.key ?? target?.id ?? ''
  const holders = new Set(tenures?.tenures.map(holderKey)).size
  return (
    <div ref={box}>
      <ChartFrame
        name="timeline"
        title={t.stats.timeline}
        chart={
          tenures && tenures.tenures.length > 0 ? (
            <TimelineChart
              label={t.stats.timelineSaid(shownText(key, 120), tenures.tenures.length, holders)}
              tenures={tenures}
              span={span}
            />
          ) : (
            <p className={`${cardStyles.note} muted`}>
              {target === null ? t.stats.chooseFirst : t.stats.noTenures}
            </p>
          )
        }
        table={
          tenures && tenures.tenures.length > 0 ? (
            <TenuresTable tenures={tenures.tenures} now={span.to} caption={shownText(key, 120)} />
          ) : (
            <p className={`${cardStyles.note} muted`}>
              {target === null ? t.stats.chooseFirst : t.stats.noTenures}
            </p>
          )
        }
      >
        {target !== null && (
          <span className={`mono clip ${timelineStyles.key}`} title={shownText(key)}>
            {shownText(key, 200)}
          </span>
        )}
        <KeyPicker
          scope={scope}
          onChoose={({ storeId, id }) => viewStore.setState({ timelineOf: { storeId, id } })}
        />
      </ChartFrame>
      {tenures !== null && tenures.left > 0 && tenures.tenures.length >= MOST_TENURES && (
        <p className={`${cardStyles.note} faint`}>{t.stats.left(tenures.left)}</p>
      )}
    </div>
  )
}

/** Whether the timeline on the screen has been scrolled to: the view may have just been opened for it. */
let wasSeen = false

function useTenures(target: { storeId: string; id: string } | null, { from, to }: Span): Tenures | null {
  const [held, setHeld] = useState<{ of: typeof target; tenures: Tenures } | null>(null)
  useEffect(() => {
    if (target === null) return
    let wanted = true
    const { storeId, id } = target
    void ask('stats.tenures', { storeIds: [storeId], id, from, to, limit: MOST_TENURES }).then(answer => {
      if (wanted && answer.ok) setHeld({ of: target, tenures: answer.value })
    })
    return () => {
      wanted = false
    }
  }, [target, from, to])
  return held && held.of === target ? held.tenures : null
}

type TenuresProps = {
  readonly tenures: readonly LockTenure[]
  readonly now: number
  readonly caption: string
}

function TenuresTable({ tenures, now, caption }: TenuresProps) {
  return (
    <NumberTable
      caption={caption}
      head={Object.values(t.stats.tenureColumns)}
      rows={tenures.toReversed().map(tenure => ({
        id: `${tenure.from} ${holderKey(tenure)}`,
        cells: [
          sayHolder(tenure),
          t.stats.tenureFrom(tenure.from, tenure.begin),
          t.stats.tenureUntil(tenure.until, tenure.end),
          sayLength(tenure, now),
          t.number(tenure.renewals),
        ],
      }))}
    />
  )
}
