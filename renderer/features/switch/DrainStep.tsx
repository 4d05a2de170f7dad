import { memo } from 'react'
import type { Remaining } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import { inspect } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { type StepProps, useSwitchNow } from './step-props.ts'
import { toDrain, willNotEnd } from './step-state.ts'

const NAMED = 4

export function DrainStep({ run }: StepProps) {
  const words = t.switch.drain
  const held = useSwitchNow(now => now.from.held)
  const holds = useSwitchNow(now => now.from.holds) ?? 0
  const isLive = useSwitchNow(now => now.from.status === 'live')
  const remaining = useSwitchNow(now => now.remaining) ?? []
  const start = toDrain(run, held)
  const storeId = run.from.storeId
  return (
    <>
      <section className="card drain" aria-label={words.gauge} data-behind={!isLive || undefined}>
        <p className="drain-number">
          <strong className="number">{held === null ? t.switch.understand.nothing : t.number(held)}</strong>
          <span className="muted">
            {held !== null && words.heldWord(held)}
            {start !== null && start > (held ?? 0) && ` ${words.of(start)}`}
          </span>
        </p>
        {held !== null && start !== null && start > 0 && (
          <span
            className="gauge"
            role="meter"
            aria-label={words.gauge}
            aria-valuemin={0}
            aria-valuemax={start}
            aria-valuenow={start - held}
            aria-valuetext={words.gaugeSaid(held, start)}
          >
            <span className="gauge-fill" style={{ transform: `scaleX(${(start - held) / start})` }} />
          </span>
        )}
        <Wont remaining={remaining} held={(held ?? 0) - holds} />
        <LastEnd remaining={remaining} />
        {holds > 0 && <p className="muted">{words.holds(holds)}</p>}
      </section>
      {remaining.length > 0 && (
        <section className="card" aria-label={words.remaining} data-behind={!isLive || undefined}>
          <header className="card-head">
            <h2>{words.remaining}</h2>
          </header>
          <table className="numbers remaining">
            <caption className="visually-hidden">{words.remaining}</caption>
            <thead>
              <tr>
                <th scope="col">{words.columns.key}</th>
                <th scope="col">{words.columns.holder}</th>
                <th scope="col">{words.columns.held}</th>
                <th scope="col">{words.columns.ends}</th>
                <th scope="col">{words.columns.why}</th>
              </tr>
            </thead>
            <tbody>
              {remaining.map(each => (
                <RemainingRow key={each.lockId} lock={each} storeId={storeId} />
              ))}
            </tbody>
          </table>
          {held !== null && held > remaining.length && (
            <p className="card-note faint">{words.notListed(held - remaining.length)}</p>
          )}
        </section>
      )}
    </>
  )
}

type WontProps = { readonly remaining: readonly Remaining[]; readonly held: number }

function Wont({ remaining, held }: WontProps) {
  const words = t.switch.drain
  const wont = willNotEnd(remaining)
  if (wont.length === 0) return null
  const holders = [
    ...new Set(wont.map(({ holder }) => (holder === null ? t.switch.stop.unnamed : shownText(holder, 60)))),
  ]
  const named = holders.slice(0, NAMED)
  // They come first, so that there may be more of them among those that are not told.
  const isMore = wont.length === remaining.length && wont.length < held
  return (
    <p className="drain-wont">
      <Icon name="endless" />
      <span>{words.wont(wont.length, isMore, named, holders.length - named.length)}</span>
    </p>
  )
}

function LastEnd({ remaining }: { readonly remaining: readonly Remaining[] }) {
  const now = useNow()
  const ends = remaining.flatMap(({ why, endsAt }) => (why === 'ends' && endsAt !== null ? [endsAt] : []))
  if (ends.length === 0) return null
  const last = Math.max(...ends)
  return <p className="muted number">{t.switch.drain.last(last, Math.max(0, last - now))}</p>
}

type RowProps = { readonly lock: Remaining; readonly storeId: string | null }

const RemainingRow = memo(function RemainingRow({ lock, storeId }: RowProps) {
  const now = useNow()
  const words = t.switch.drain
  const { lockId, key, holder, heldSince, endsAt, renewals, why } = lock
  const left = endsAt === null ? null : endsAt - now
  const shown = shownText(key, 120)
  return (
    <tr data-why={why}>
      <th scope="row">
        {storeId === null ? (
          <span className="mono clip">{shown}</span>
        ) : (
          <Button
            look="link"
            className="mono clip"
            title={shown}
            onClick={() => inspect({ storeId, id: lockId })}
          >
            {shown}
          </Button>
        )}
      </th>
      <td>{holder === null ? t.switch.stop.unnamed : shownText(holder, 80)}</td>
      <td className="number">
        {heldSince === null ? words.unknownAge : t.span(Math.max(0, now - heldSince))}
      </td>
      <td className="number">{left === null ? words.never : left > 0 ? t.duration(left) : words.ended}</td>
      <td className="remaining-why">{why === 'renewed' ? words.renewed(renewals) : words.whys[why]}</td>
    </tr>
  )
})
