import { type KeyboardEvent, useState } from 'react'
import type { Hold, Holds } from '../../../shared/stats.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import type { Span } from './steps.ts'
import { type Bar, lanesOf } from './timeline.ts'

type Props = { readonly label: string; readonly holds: Holds; readonly span: Span }

const TICKS = 4

/** Each holder has a lane, and each time it held the lock is a bar in it. */
export function TimelineChart({ label, holds: { holds, gaps }, span }: Props) {
  const [read, setRead] = useState<{ hold: Hold; byKeys: boolean } | null>(null)
  const { from, to } = span
  const lanes = lanesOf(holds, from, to)
  const shown = read && holds.find(hold => isSame(hold, read.hold))
  const onKeyDown = (event: KeyboardEvent) => {
    const at = shown ? holds.indexOf(shown) : holds.length
    const next = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: holds.length - 1,
    }[event.key]
    if (event.key === 'Escape' && read) setRead(null)
    else if (next === undefined) return
    else {
      const hold = holds[Math.max(0, Math.min(holds.length - 1, next))]
      if (hold) setRead({ hold, byKeys: true })
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const place = (time: number) => `${Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))}%`
  return (
    <>
      <p className="legend timeline-said" aria-live={read?.byKeys ? 'polite' : 'off'}>
        {shown ? sayHold(shown, to) : ' '}
      </p>
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys go from one holder to the next
        tabIndex={0}
        aria-label={label}
        aria-roledescription={t.stats.chart}
        className="timeline"
        onKeyDown={onKeyDown}
        onPointerLeave={() => setRead(null)}
        onBlur={() => setRead(null)}
      >
        <div className="timeline-gaps" aria-hidden="true">
          {gaps.map(gap => (
            <span
              key={gap.from}
              className="timeline-gap"
              title={t.stats.gapLabels[gap.why]}
              style={{ left: place(gap.from), right: `calc(100% - ${place(gap.until ?? to)})` }}
            />
          ))}
        </div>
        {lanes.map(lane => (
          <div key={lane.holder ? sayHolder(lane.holder) + lane.holder.ownerHash : 'others'} className="lane">
            <span className="lane-name clip">
              {lane.holder ? sayHolder(lane.holder) : t.stats.otherHolders}
            </span>
            <span className="lane-bars">
              {lane.bars.map(bar => (
                <LaneBar
                  key={`${bar.hold.from} ${bar.hold.ownerHash}`}
                  bar={bar}
                  read={bar.hold === shown}
                  onPoint={() => setRead({ hold: bar.hold, byKeys: false })}
                />
              ))}
            </span>
          </div>
        ))}
        <div className="timeline-axis" aria-hidden="true">
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

function LaneBar({ bar: { hold, left, right, openLeft, openRight }, read, onPoint }: BarProps) {
  return (
    <span
      className="lane-bar"
      data-end={hold.end}
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
function isSame(a: Hold, b: Hold): boolean {
  return a.from === b.from && a.ownerHash === b.ownerHash && a.holder === b.holder
}

function sayHold(hold: Hold, now: number): string {
  return [
    sayHolder(hold),
    t.stats.holdFrom(hold.from, hold.begin),
    t.stats.holdUntil(hold.until, hold.end),
    sayLength(hold, now),
    t.stats.renewals(hold.renewals),
  ].join(' · ')
}

export function sayHolder({ holder, ownerHash }: Pick<Hold, 'holder' | 'ownerHash'>): string {
  if (holder !== null) return shownText(holder, 120)
  return ownerHash === null ? t.stats.noHolder : t.stats.token(ownerHash)
}

export function sayLength(hold: Hold, now: number): string {
  const exact = hold.begin !== 'before' && hold.end !== 'unseen'
  return t.stats.holdLength((hold.until ?? now) - hold.from, exact)
}
