import { useState } from 'react'
import type { Arrival } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { DataTable, Gauge } from './parts.tsx'
import styles from './Switch.module.css'
import { quietSince, stillAtWork } from './step-state.ts'
import { type StepProps, useSwitchNow } from './use-switch.ts'

const MOST_NAMED = 4

export function StopStep({ run }: StepProps) {
  const words = t.switch.stop
  const arrivals = useSwitchNow(now => now.arrivals) ?? []
  const watchedSince = useSwitchNow(now => now.watchedSince)
  const isLive = useSwitchNow(now => now.from.status === 'live')
  return (
    <>
      <Card label={words.quiet}>
        <QuietMeter label={words.quiet} quietMs={run.quietMs} />
        <AtWork arrivals={arrivals} quietMs={run.quietMs} />
      </Card>
      <Card
        label={words.arrivals}
        titled
        isBehind={!isLive}
        aside={
          watchedSince !== null && (
            <span className={`faint ${cardStyles.aside} number`}>{words.watchedSince(watchedSince)}</span>
          )
        }
      >
        {arrivals.length === 0 ? (
          <p className={`${cardStyles.note} muted`}>{words.noArrivals}</p>
        ) : (
          <ArrivalTable arrivals={arrivals} quietMs={run.quietMs} />
        )}
      </Card>
    </>
  )
}

type Props = { readonly arrivals: readonly Arrival[]; readonly quietMs: number }

/** The holders to stop: those that did something within the time that has to be quiet. */
function AtWork({ arrivals, quietMs }: Props) {
  const now = useNow()
  const holders = stillAtWork(arrivals.filter(({ at }) => now - at < quietMs))
  if (holders.length === 0) return null
  const named = holders.slice(0, MOST_NAMED).map(({ holder }) => workerName(holder, 60))
  return <p className={styles.atWork}>{t.switch.stop.atWork(named, holders.length - named.length)}</p>
}

function ArrivalTable({ arrivals, quietMs }: Props) {
  const now = useNow()
  const words = t.switch.stop
  return (
    <DataTable
      caption={words.arrivals}
      className={styles.arrivals}
      rows={arrivals}
      keyOf={({ key, what, at }) => `${key} ${what} ${at}`}
      rowProps={({ at }) => (now - at >= quietMs ? { 'data-old': true } : {})}
      columns={[
        { title: words.columns.ago, kind: 'number', cell: ({ at }) => words.ago(Math.max(0, now - at)) },
        { title: words.columns.holder, cell: ({ holder }) => workerName(holder, 80) },
        { title: words.columns.what, cell: ({ what }) => words.whats[what] },
        { title: words.columns.key, kind: 'mono', cell: ({ key }) => shownText(key, 120) },
      ]}
    />
  )
}

export function workerName(holder: string | null, longest: number): string {
  return holder === null ? t.switch.stop.unnamed : shownText(holder, longest)
}

type MeterProps = { readonly label: string; readonly quietMs: number }

/** How long the old store has been quiet, of how long it must be. It falls back to zero when something happens there. */
export function QuietMeter({ label, quietMs }: MeterProps) {
  const now = useNow()
  const since = useSwitchNow(quietSince)
  const [first] = useState(since)
  const isLive = useSwitchNow(each => each.from.status === 'live') === true
  const forMs = since === null || !isLive ? null : Math.max(0, now - since)
  const said = sayQuiet(forMs, quietMs)
  const isFull = forMs !== null && forMs >= quietMs
  return (
    <div className={styles.quiet} data-full={isFull || undefined} data-behind={!isLive || undefined}>
      <span className={styles.quietLabel}>{label}</span>
      <Gauge
        label={label}
        value={Math.min(quietMs, forMs ?? 0)}
        max={quietMs}
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
