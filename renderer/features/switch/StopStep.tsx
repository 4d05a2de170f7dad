import { memo } from 'react'
import type { Arrival } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { QuietMeter } from './QuietMeter.tsx'
import { type StepProps, useSwitchNow } from './step-props.ts'
import { stillAtWork } from './step-state.ts'

const NAMED = 4

export function StopStep({ run }: StepProps) {
  const words = t.switch.stop
  const arrivals = useSwitchNow(now => now.arrivals) ?? []
  const watchedSince = useSwitchNow(now => now.watchedSince)
  const isLive = useSwitchNow(now => now.from.status === 'live')
  return (
    <>
      <section className="card" aria-label={words.quiet}>
        <QuietMeter label={words.quiet} quietMs={run.quietMs} />
        <AtWork arrivals={arrivals} quietMs={run.quietMs} />
      </section>
      <section className="card" aria-label={words.arrivals} data-behind={!isLive || undefined}>
        <header className="card-head">
          <h2>{words.arrivals}</h2>
          {watchedSince !== null && (
            <span className="faint card-switch number">{words.watchedSince(watchedSince)}</span>
          )}
        </header>
        {arrivals.length === 0 ? (
          <p className="card-note muted">{words.noArrivals}</p>
        ) : (
          <table className="numbers arrivals">
            <caption className="visually-hidden">{words.arrivals}</caption>
            <thead>
              <tr>
                <th scope="col">{words.columns.ago}</th>
                <th scope="col">{words.columns.holder}</th>
                <th scope="col">{words.columns.what}</th>
                <th scope="col">{words.columns.key}</th>
              </tr>
            </thead>
            <tbody>
              {arrivals.map(arrival => (
                <ArrivalRow
                  key={`${arrival.key} ${arrival.what} ${arrival.at}`}
                  arrival={arrival}
                  quietMs={run.quietMs}
                />
              ))}
            </tbody>
          </table>
        )}
      </section>
    </>
  )
}

/** Who is to be stopped: whoever did something within the time in which nobody should have. */
function AtWork({ arrivals, quietMs }: { readonly arrivals: readonly Arrival[]; readonly quietMs: number }) {
  const now = useNow()
  const words = t.switch.stop
  const holders = stillAtWork(arrivals.filter(({ at }) => now - at < quietMs))
  if (holders.length === 0) return null
  const named = holders
    .slice(0, NAMED)
    .map(({ holder }) => (holder === null ? words.unnamed : shownText(holder, 60)))
  return <p className="at-work">{words.atWork(named, holders.length - named.length)}</p>
}

type RowProps = { readonly arrival: Arrival; readonly quietMs: number }

const ArrivalRow = memo(function ArrivalRow({ arrival, quietMs }: RowProps) {
  const now = useNow()
  const words = t.switch.stop
  const { key, holder, what, at } = arrival
  const ago = Math.max(0, now - at)
  return (
    <tr data-old={ago >= quietMs || undefined}>
      <td className="number">{words.ago(ago)}</td>
      <td>{holder === null ? words.unnamed : shownText(holder, 80)}</td>
      <td>{words.whats[what]}</td>
      <td className="mono">{shownText(key, 120)}</td>
    </tr>
  )
})
