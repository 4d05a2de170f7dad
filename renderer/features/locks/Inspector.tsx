import { useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { judgement } from '../../../shared/lock-words.ts'
import type { LockDetail, WatchedLock } from '../../../shared/locks.ts'
import { useNow } from '../../state/clock.ts'
import { book, consoleStore, isBehind, statusOf } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { type Inspected, inspect, openDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { focusView, showTimeline } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { LockAlerts } from '../alerts/LockAlerts.tsx'
import { LockHold } from '../holds/LockHold.tsx'
import { Facts } from './Facts.tsx'
import { LeaseLine } from './LeaseLine.tsx'
import { faceOf } from './lock-face.ts'
import { RawValue } from './RawValue.tsx'
import { ReleaseEffect } from './ReleaseEffect.tsx'
import { Tenures } from './Tenures.tsx'
import { useDetail } from './use-detail.ts'

const subscribeBook = (listener: () => void) => book.subscribe(listener)
const bookVersion = () => book.version

export function Inspector({ target }: { readonly target: Inspected }) {
  // The book is outside React; the table's revision tells of what it drops, too.
  useSyncExternalStore(subscribeBook, bookVersion)
  useStore(table, state => state.revision)
  const row = book.rows.get(rowIdOf(target.storeId, target.id))
  const watched = row?.lock ?? null
  const reading = useDetail(
    target,
    watched ? `${watched.fence} ${watched.watched.renewals} ${row?.change}` : 'none',
  )
  const detail = reading?.result.ok ? reading.result.value : null
  const key = watched?.key ?? detail?.key ?? target.id
  const gone = row?.change === 'gone' || (row === undefined && reading?.result.ok === true && detail === null)
  return (
    <aside className="inspector" aria-label={t.regions.inspector}>
      <header className="inspector-head">
        <h2 className="mono inspector-key">{shownText(key, 600)}</h2>
        <Button
          look="quiet"
          aria-label={t.inspector.close}
          onClick={() => {
            inspect(null)
            focusView()
          }}
        >
          <Icon name="cross" />
        </Button>
      </header>
      {watched ? (
        <LockParts target={target} lock={watched} gone={gone} detail={detail} />
      ) : gone ? (
        <p className="judgement">{t.inspector.gone}</p>
      ) : (
        <>
          {detail?.reason && (
            <p className="judgement">
              {t.inspector.notALock}: {sentence(detail.reason)}
            </p>
          )}
          {detail?.lock && (
            <LockParts target={target} lock={unwatched(detail.lock)} gone={false} detail={detail} />
          )}
        </>
      )}
      {reading && !reading.result.ok && (
        <ErrorNotice role="status" what={`${t.inspector.unreadable}:`} error={reading.result.error} />
      )}
      {detail === null && reading === null && <p className="muted">{t.inspector.loading}</p>}
      {detail && detail.raw.length > 0 && (
        <div className="panel">
          <h3>{t.inspector.raw}</h3>
          {detail.raw.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name; two may have the same label
            <RawValue key={`${i} ${part.label} ${part.encoding}`} part={part} />
          ))}
        </div>
      )}
    </aside>
  )
}

type PartsProps = {
  readonly target: Inspected
  readonly lock: WatchedLock
  readonly gone: boolean
  readonly detail: LockDetail | null
}

function LockParts({ target, lock, gone, detail }: PartsProps) {
  const status = useStore(consoleStore, state => statusOf(state, target.storeId))
  const format = useStore(consoleStore, state => state.formats.get(lock.format))
  const isOurs = useStore(holdsStore, state => state.byRow.has(rowIdOf(target.storeId, target.id)))
  const behind = isBehind(status)
  // Of a store that is not read, nothing is known after it was read last.
  const clock = useNow() + status.offsetMs
  const now = behind ? Math.min(clock, status.asOf ?? clock) : clock
  const face = faceOf(lock, now, gone)
  return (
    <>
      <p className="judgement" data-tone={face.tone}>
        <Icon name={face.icon} size={16} />{' '}
        {gone ? t.inspector.gone : shownText(judgement(lock, detail?.story ?? null, now), 1200)}
      </p>
      {behind && status.asOf !== null && <Notice role="status">{t.inspector.staleHere(status.asOf)}</Notice>}
      <LeaseLine lock={lock} now={now} tone={face.tone} />
      <div className="inspector-actions">
        {/* What this console holds itself is let go where it says so. */}
        {!isOurs && (
          <>
            <Button look="danger" disabled={gone} onClick={() => openDialog({ kind: 'release', target })}>
              {t.inspector.release}
            </Button>
            <Button
              onClick={() => openDialog({ kind: 'hold', prefill: { storeId: target.storeId, key: lock.id } })}
            >
              {t.holds.openThis}
            </Button>
          </>
        )}
        <CopyButton text={lock.key} label={t.inspector.copyKey} done={t.inspector.copied} />
        <Button onClick={() => showTimeline(target)}>{t.inspector.timeline}</Button>
      </div>
      <LockHold target={target} lock={lock} />
      <LockAlerts target={target} />
      <Facts
        lock={lock}
        story={detail?.story ?? null}
        storeId={target.storeId}
        formatTitle={format?.title ?? lock.format}
      />
      <ReleaseEffect format={format} detail={detail} />
      {!holdersLookAlike(lock) && <Tenures story={detail?.story ?? null} />}
    </>
  )
}

/** A lock that was read but is in no watch: what is known of it began with this reading. */
function unwatched(lock: Omit<WatchedLock, 'watched'>): WatchedLock {
  const at = lock.observedAt
  return {
    ...lock,
    watched: { firstSeenAt: at, heldSince: at, renewals: 0, lastRenewedAt: null, holders: 1 },
  }
}
