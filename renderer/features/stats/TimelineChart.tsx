import { type KeyboardEvent, useState } from 'react'
import type { LockTenure, Tenures } from '../../../shared/stats.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import type { Span } from './steps.ts'
import timelineStyles from './Timeline.module.css'
import { type Bar, lanesOf } from './timeline.ts'

type Props = { readonly label: string; readonly tenures: Tenures; readonly span: Span }

const TICKS = 4

/** Each holder has a lane, and each time it held the lock is a bar in it. */
export function TimelineChart({ label, tenures: { tenures, gaps }, span }: Props) {
  const [read, setRead] = useState<{ tenure: LockTenure; byKeys: boolean } | null>(null)
  const { from, to } = span
  const lanes = lanesOf(tenures, from, to)
  const shown = read && tenures.find(tenure => isSame(tenure, read.tenure))
  const onKeyDown = (event: KeyboardEvent) => {
    const at = shown ? tenures.indexOf(shown) : tenures.length
    const next = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: tenures.length - 1,
    }[event.key]
    if (event.key === 'Escape' && read) setRead(null)
    else if (next === undefined) return
    else {
      const tenure = tenures[Math.max(0, Math.min(tenures.length - 1, next))]
      if (tenure) setRead({ tenure, byKeys: true })
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const place = (time: number) => `${Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))}%`
  return (
    <>
      <p
        className={`${chartStyles.legend} ${timelineStyles.reading}`}
        aria-live={read?.byKeys ? 'polite' : 'off'}
      >
        {shown ? sayTenure(shown, to) : ' '}
      </p>
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys go from one holder to the next
        tabIndex={0}
        aria-label={label}
        aria-roledescription={t.stats.chart}
        className={timelineStyles.timeline}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setRead(null)}
        onBlur={() => setRead(null)}
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
        {lanes.map(lane => (
          <div
            key={lane.holder ? sayHolder(lane.holder) + lane.holder.ownerHash : 'others'}
            className={timelineStyles.lane}
          >
            <span className={`${timelineStyles.laneName} clip`}>
              {lane.holder ? sayHolder(lane.holder) : t.stats.otherHolders}
            </span>
            <span className={timelineStyles.bars}>
              {lane.bars.map(bar => (
                <LaneBar
                  key={`${bar.tenure.from} ${bar.tenure.ownerHash}`}
                  bar={bar}
                  read={bar.tenure === shown}
                  onPoint={() => setRead({ tenure: bar.tenure, byKeys: false })}
                />
              ))}
            </span>
          </div>
        ))}
        <div className={timelineStyles.axis} aria-hidden="true">
          {Array.from({ length: TICKS + 1 }, (_, i) => from + ((to - from) * i) / TICKS).map((at, i) => (
            <span
              key={at}
              className="number"
              data-edge={i === 0 ? 'first' : i === TICKS ? 'last' : undefined}
            >
              {t.stats.axisTime(at, (to - from) / TICKS)}
            </span>
          ))}
        </div>
      </div>
    </>
  )
}

type BarProps = { readonly bar: Bar; readonly read: boolean; readonly onPoint: () => void }

function LaneBar({ bar: { tenure, left, right, openLeft, openRight }, read, onPoint }: BarProps) {
  return (
    <span
      className={timelineStyles.bar}
      data-end={tenure.end}
      data-open-left={openLeft || undefined}
      data-open-right={openRight || undefined}
      data-read={read || undefined}
      style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
      onPointerEnter={onPoint}
      onPointerDown={onPoint}
    />
  )
}

/** It may have been renewed since it was pointed at. */
function isSame(a: LockTenure, b: LockTenure): boolean {
  return a.from === b.from && a.ownerHash === b.ownerHash && a.holder === b.holder
}

function sayTenure(tenure: LockTenure, now: number): string {
  return [
    sayHolder(tenure),
    t.stats.tenureFrom(tenure.from, tenure.begin),
    t.stats.tenureUntil(tenure.until, tenure.end),
    sayLength(tenure, now),
    t.stats.renewals(tenure.renewals),
  ].join(' · ')
}

export function sayHolder({ holder, ownerHash }: Pick<LockTenure, 'holder' | 'ownerHash'>): string {
  if (holder !== null) return shownText(holder, 120)
  return ownerHash === null ? t.stats.noHolder : t.stats.token(ownerHash)
}

export function sayLength(tenure: LockTenure, now: number): string {
  const exact = tenure.begin !== 'before' && tenure.end !== 'unseen'
  return t.stats.tenureLength((tenure.until ?? now) - tenure.from, exact)
}
