import { useEffect, useState, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { judgement } from '../../../shared/lock-words.ts'
import type { LockDetail, Story, WatchedLock } from '../../../shared/locks.ts'
import type { Result } from '../../../shared/result.ts'
import { useNow } from '../../state/clock.ts'
import { ask, book, consoleStore, isBehind, statusOf } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { type Inspected, inspect, openDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { focusView, showTimeline } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { LockAlerts } from '../alerts/LockAlerts.tsx'
import { LockHold } from '../holds/LockHold.tsx'
import { Facts } from './Facts.tsx'
import styles from './Inspector.module.css'
import { LeaseLine } from './LeaseBar.tsx'
import { faceOf } from './lock-face.ts'
import { RawValue } from './RawValue.tsx'
import { ReleaseEffect } from './ReleaseEffect.tsx'

type Reading = { readonly of: Inspected; readonly result: Result<LockDetail | null> }

/** The shortest time between two reads of the same lock. */
const AGAIN_MS = 1000
const TENURES_SHOWN = 8

const subscribeBook = (listener: () => void) => book.subscribe(listener)
const bookVersion = () => book.version

export function Inspector({ target }: { readonly target: Inspected }) {
  // The book is outside React; rows that it drops change only the table's revision.
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
    <aside className={styles.inspector} aria-label={t.regions.inspector}>
      <header className={styles.head}>
        <h2 className={`mono ${styles.key}`}>{shownText(key, 600)}</h2>
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
        <p className={styles.judgement}>{t.inspector.gone}</p>
      ) : (
        <>
          {detail?.reason && (
            <p className={styles.judgement}>
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
        <div className={panelStyles.panel}>
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
  // Time stops at the last read of a store that is not live.
  const clock = useNow() + status.offsetMs
  const now = behind ? Math.min(clock, status.asOf ?? clock) : clock
  const face = faceOf(lock, now, gone)
  return (
    <>
      <p className={styles.judgement} data-tone={face.tone}>
        <Icon name={face.icon} size={16} />{' '}
        {gone ? t.inspector.gone : shownText(judgement(lock, detail?.story ?? null, now), 1200)}
      </p>
      {behind && status.asOf !== null && <Notice role="status">{t.inspector.staleHere(status.asOf)}</Notice>}
      <LeaseLine lock={lock} now={now} tone={face.tone} />
      <div className={styles.actions}>
        {/* A hold of this console is released in its own panel. */}
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

/** A lock that is not in the watch, so its history starts with this read. */
function unwatched(lock: Omit<WatchedLock, 'watched'>): WatchedLock {
  const at = lock.observedAt
  return {
    ...lock,
    watched: { firstSeenAt: at, heldSince: at, renewals: 0, lastRenewedAt: null, holders: 1 },
  }
}

/** The holders observed while the lock was watched, latest first. */
function Tenures({ story }: { readonly story: Story | null }) {
  if (!story || story.tenures.length < 2) return null
  return (
    <section className={panelStyles.panel} aria-label={t.inspector.holders}>
      <h3>{t.inspector.holders}</h3>
      <ol className={styles.tenures}>
        {story.tenures
          .toReversed()
          .slice(0, TENURES_SHOWN)
          .map(({ owner, label, from, until, renewals }) => (
            <li key={`${from} ${owner}`}>
              <span className="clip">{shownText(owner ?? label ?? t.table.noOwner, 80)}</span>
              <span className="faint">{t.inspector.tenure(from, until, renewals)}</span>
            </li>
          ))}
      </ol>
    </section>
  )
}

/** The details of one record, read again whenever `version` changes. */
function useDetail(target: Inspected, version: string): Reading | null {
  const [reading, setReading] = useState<Reading | null>(null)
  const { storeId, id } = target
  const known = reading !== null && reading.of.storeId === storeId && reading.of.id === id
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is the reason to read again
  useEffect(() => {
    let wanted = true
    const timer = setTimeout(
      () =>
        void ask('locks.inspect', { storeId, id }).then(
          result => wanted && setReading({ of: { storeId, id }, result }),
        ),
      known ? AGAIN_MS : 0,
    )
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [storeId, id, version])
  return known ? reading : null
}
