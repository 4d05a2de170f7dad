import { useState } from 'react'
import type { LockTenure, Tenures } from '../../../shared/stats.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import { Drawing } from './ChartFrame.tsx'
import type { Span } from './steps.ts'
import timelineStyles from './Timeline.module.css'
import { holderKey, lanesOf } from './timeline.ts'

type Props = { readonly label: string; readonly found: Tenures; readonly span: Span }

const TICKS = 4

/** Each holder has a lane, and each of its tenures is a bar. */
export function TimelineChart({ label, found: { tenures, gaps }, span: { from, to } }: Props) {
  const [reading, setReading] = useState<{ of: string; byKeys: boolean } | null>(null)
  const idOf = (tenure: LockTenure) => `${tenure.from} ${holderKey(tenure)}`
  const at = tenures.findIndex(tenure => idOf(tenure) === reading?.of)
  const shown = tenures[at]
  const go = (i: number) => () => {
    const tenure = tenures[Math.max(0, Math.min(tenures.length - 1, i))]
    if (tenure) setReading({ of: idOf(tenure), byKeys: true })
  }
  const leave = () => setReading(null)
  const before = go((shown ? at : tenures.length) - 1)
  const after = go((shown ? at : tenures.length) + 1)
  const place = (time: number) => `${Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))}%`
  const tickMs = (to - from) / TICKS
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => from + tickMs * i)
  return (
    <>
      <p
        className={`${chartStyles.legend} ${timelineStyles.reading}`}
        aria-live={reading?.byKeys ? 'polite' : 'off'}
      >
        {shown ? [...tenureCells(shown, to), t.stats.renewals(shown.renewals)].join(' · ') : ' '}
      </p>
      <Drawing
        label={label}
        className={timelineStyles.timeline}
        keys={() => ({
          ArrowLeft: before,
          ArrowUp: before,
          ArrowRight: after,
          ArrowDown: after,
          Home: go(0),
          End: go(tenures.length - 1),
          Escape: reading ? leave : undefined,
        })}
        onLeave={leave}
        onPointerLeave={leave}
      >
        <div className={timelineStyles.gaps} aria-hidden="true">
          {gaps.map(gap => (
            <span
              key={gap.from}
              className={timelineStyles.gap}
              title={t.stats.gapLabels[gap.why]}
              style={{ left: place(gap.from), right: `calc(100% - ${place(gap.until ?? to)})` }}
            />
          ))}
        </div>
        {lanesOf(tenures, from, to).map(({ holder, bars }) => (
          <div key={holder ? holderKey(holder) : 'others'} className={timelineStyles.lane}>
            <span className={`${timelineStyles.laneName} clip`}>
              {holder ? sayHolder(holder) : t.stats.otherHolders}
            </span>
            <span className={timelineStyles.bars}>
              {bars.map(({ tenure, left, right, openLeft, openRight }) => {
                const read = () => setReading({ of: idOf(tenure), byKeys: false })
                return (
                  <span
                    key={idOf(tenure)}
                    className={timelineStyles.bar}
                    data-end={tenure.end}
                    data-open-left={openLeft || undefined}
                    data-open-right={openRight || undefined}
                    data-read={tenure === shown || undefined}
                    style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
                    onPointerEnter={read}
                    onPointerDown={read}
                  />
                )
              })}
            </span>
          </div>
        ))}
        <div className={timelineStyles.axis} aria-hidden="true">
          {ticks.map(time => (
            <span key={time} className="number">
              {t.stats.axisTime(time, tickMs)}
            </span>
          ))}
        </div>
      </Drawing>
    </>
  )
}

/** The holder, the beginning, the end and the length of a tenure. */
export function tenureCells(tenure: LockTenure, now: number): string[] {
  const { from, begin, until, end } = tenure
  const exact = begin !== 'before' && end !== 'unseen'
  return [
    sayHolder(tenure),
    t.stats.tenureFrom(from, begin),
    t.stats.tenureUntil(until, end),
    t.stats.tenureLength((until ?? now) - from, exact),
  ]
}

function sayHolder({ holder, ownerHash }: Pick<LockTenure, 'holder' | 'ownerHash'>): string {
  if (holder !== null) return shownText(holder, 120)
  return ownerHash === null ? t.stats.noHolder : t.stats.token(ownerHash)
}
