import { useState } from 'react'
import { useNow } from '../../state/clock.ts'
import { t } from '../../words/words.ts'
import { useSwitchNow } from './step-props.ts'
import { quietSince } from './step-state.ts'

type Props = { readonly label: string; readonly quietMs: number }

/** How long nothing happened in the old store, of how long it must not. It falls back to nothing when something happens. */
export function QuietMeter({ label, quietMs }: Props) {
  const now = useNow()
  const since = useSwitchNow(quietSince)
  const [first] = useState(since)
  const isLive = useSwitchNow(each => each.from.status === 'live') === true
  const words = t.switch.stop
  const forMs = since === null || !isLive ? null : Math.max(0, now - since)
  const part = forMs === null ? 0 : Math.min(1, forMs / quietMs)
  const said =
    forMs === null
      ? words.notWatched
      : forMs >= quietMs
        ? words.quietDone(forMs)
        : words.quietFor(forMs, quietMs)
  return (
    <div className="quiet-meter" data-full={part === 1 || undefined} data-behind={!isLive || undefined}>
      <span className="quiet-label">{label}</span>
      <span
        className="gauge"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={quietMs}
        aria-valuenow={Math.min(quietMs, forMs ?? 0)}
        aria-valuetext={said}
      >
        {/* Anew with whatever happened, so that the fall is seen. */}
        <span
          key={since}
          className="gauge-fill"
          data-fell={since !== first || undefined}
          style={{ transform: `scaleX(${part})` }}
        />
      </span>
      <span className="quiet-said number">{said}</span>
    </div>
  )
}
