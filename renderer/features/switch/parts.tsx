import { type ReactNode, useState } from 'react'
import { useStore } from 'zustand'
import { SPLIT_STORY } from '../../../shared/alert-rules.ts'
import { kindOf } from '../../../shared/kinds.ts'
import type { Side, SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { quietSince } from '../../../shared/switch-steps.ts'
import { useNow } from '../../state/clock.ts'
import { consoleStore } from '../../state/console.ts'
import figureStyles from '../../ui/Figures.module.css'
import { Figure } from '../../ui/Figures.tsx'
import { shownText, t } from '../../words/words.ts'
import { StoreDot } from '../stores/StoreName.tsx'
import styles from './SwitchParts.module.css'
import { holdersOf } from './step-state.ts'

const MOST_NAMED = 4

/** A switch, and the current state of both stores. */
export type StepProps = { readonly run: SwitchRun; readonly now: SwitchNow }

/** A title for screen readers, for a column whose cells need none on the screen. */
export function hiddenTitle(title: string): ReactNode {
  return <span className="visually-hidden">{title}</span>
}

type NamedNumber = {
  readonly name: string
  readonly value: number | null
  readonly say?: (value: number) => string
  /** The look of a number other than zero. */
  readonly tone?: 'warn' | 'danger' | 'live' | undefined
}

export function Figures({
  label,
  figures,
}: {
  readonly label: string
  readonly figures: readonly NamedNumber[]
}) {
  return (
    <div className={`${figureStyles.figures} ${styles.figures}`} role="group" aria-label={label}>
      <dl>
        {figures.map(({ name, value, say = t.number, tone }) => (
          <Figure key={name} name={name} tone={value ? tone : undefined}>
            {value === null ? t.switch.understand.nothing : say(value)}
          </Figure>
        ))}
      </dl>
    </div>
  )
}

type GaugeProps = {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly said: string
  /** A new value restarts the gauge. */
  readonly since?: number | null
  readonly hasFallen?: boolean
}

export function Gauge({ label, value, max, said, since, hasFallen }: GaugeProps) {
  return (
    <span
      className={styles.gauge}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={said}
    >
      <span
        key={since}
        className={styles.fill}
        data-fell={hasFallen || undefined}
        style={{ transform: `scaleX(${value / max})` }}
      />
    </span>
  )
}

/** The quiet time of the old store, out of what its check requires. An arrival sets it back to zero. */
export function QuietMeter({ label, run, now }: StepProps & { readonly label: string }) {
  const time = useNow()
  const since = quietSince(now)
  const [first] = useState(since)
  const isLive = now.from.status === 'live'
  const forMs = since === null || !isLive ? null : Math.max(0, time - since)
  const said = sayQuiet(forMs, run.quietMs)
  const isFull = forMs !== null && forMs >= run.quietMs
  return (
    <div className={styles.quiet} data-full={isFull || undefined} data-behind={!isLive || undefined}>
      <span className={styles.quietLabel}>{label}</span>
      <Gauge
        label={label}
        value={Math.min(run.quietMs, forMs ?? 0)}
        max={run.quietMs}
        said={said}
        since={since}
        hasFallen={since !== first}
      />
      <span className={`${styles.quietSaid} number`}>{said}</span>
    </div>
  )
}

function sayQuiet(forMs: number | null, quietMs: number): string {
  const words = t.switch.stop
  if (forMs === null) return words.notWatched
  return forMs >= quietMs ? words.quietDone(forMs) : words.quietFor(forMs, quietMs)
}

export function SideName({ side }: { readonly side: Side }) {
  const colour = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === side.storeId)?.colour,
  )
  return (
    <span className={styles.side} title={shownText(side.address, 200)}>
      <StoreDot colour={colour} />
      <strong className="clip">{storeName(side)}</strong>
      <span className="muted">{kindOf(side.kind).label}</span>
    </span>
  )
}

export function storeName(side: Side): string {
  return shownText(side.storeName, 60)
}

export function holderName(holder: string | null, longest = 80): string {
  return holder === null ? t.switch.stop.unnamed : shownText(holder, longest)
}

/** As many holders as fit into a sentence. */
export function nameHolders(locks: Parameters<typeof holdersOf>[0]): string {
  const holders = holdersOf(locks)
  const named = holders.slice(0, MOST_NAMED).map(holder => holderName(holder, 60))
  return t.switch.stop.holders(named, holders.length - named.length)
}

export function WhyTwoBreak() {
  return (
    <details className={`alert-next ${styles.story}`}>
      <summary>{t.switch.trouble.why}</summary>
      <ol>
        {SPLIT_STORY.map(part => (
          <li key={part}>{part}</li>
        ))}
      </ol>
    </details>
  )
}
