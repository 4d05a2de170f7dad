import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Tenures } from '../../../shared/stats.ts'
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
import { TimelineChart, tenureCells } from './TimelineChart.tsx'
import { holderKey } from './timeline.ts'

const MOST_TENURES = 500

type Props = { readonly scope: string | null; readonly span: Span }

/** Who held a lock, and when. The lock is chosen here or in the inspector. */
export function Timeline({ scope, span }: Props) {
  const target = useStore(viewStore, state => state.timelineOf)
  const box = useRef<HTMLDivElement>(null)
  const lastTarget = useRef(target)
  const found = useTenures(target, span)
  useLayoutEffect(() => {
    if (target === null) return
    // The operator asked for the timeline, here or elsewhere.
    if (lastTarget.current !== target || !wasShown) box.current?.scrollIntoView({ block: 'center' })
    lastTarget.current = target
    wasShown = true
    return () => {
      wasShown = false
    }
  }, [target])
  const { tenures, left } = found ?? NONE
  const row = target && book.rows.get(rowIdOf(target.storeId, target.id))
  const key = tenures[0]?.key ?? row?.lock.key ?? target?.id ?? ''
  const holders = new Set(tenures.map(holderKey)).size
  const nothing = tenures.length === 0 && (
    <p className={`${cardStyles.note} muted`}>{target === null ? t.stats.chooseFirst : t.stats.noTenures}</p>
  )
  return (
    <div ref={box}>
      <ChartFrame
        name="timeline"
        title={t.stats.timeline}
        chart={
          nothing || (
            <TimelineChart
              label={t.stats.timelineSaid(shownText(key, 120), tenures.length, holders)}
              found={found ?? NONE}
              span={span}
            />
          )
        }
        table={
          nothing || (
            <NumberTable
              caption={shownText(key, 120)}
              head={Object.values(t.stats.tenureColumns)}
              rows={tenures.toReversed().map(tenure => ({
                id: `${tenure.from} ${holderKey(tenure)}`,
                cells: [...tenureCells(tenure, span.to), t.number(tenure.renewals)],
              }))}
            />
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
      {left > 0 && tenures.length >= MOST_TENURES && (
        <p className={`${cardStyles.note} faint`}>{t.stats.left(left)}</p>
      )}
    </div>
  )
}

/** Whether a timeline is on the screen already: otherwise the view may have been opened for it. */
let wasShown = false

const NONE: Tenures = { tenures: [], gaps: [], left: 0 }

function useTenures(target: { storeId: string; id: string } | null, { from, to }: Span): Tenures | null {
  const [found, setFound] = useState<{ of: typeof target; tenures: Tenures } | null>(null)
  useEffect(() => {
    if (target === null) return
    let wanted = true
    const { storeId, id } = target
    void ask('stats.tenures', { storeIds: [storeId], id, from, to, limit: MOST_TENURES }).then(answer => {
      if (wanted && answer.ok) setFound({ of: target, tenures: answer.value })
    })
    return () => {
      wanted = false
    }
  }, [target, from, to])
  return found?.of === target ? (found?.tenures ?? null) : null
}
