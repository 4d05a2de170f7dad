import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { judgement } from '../../../shared/lock-words.ts'
import type { Lock, LockDetail, Story, WatchedLock } from '../../../shared/locks.ts'
import { useNow } from '../../state/clock.ts'
import { ask, book, consoleStore, isBehind, statusOf, storeTime } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { table } from '../../state/table.ts'
import { useAnswer } from '../../state/use-answer.ts'
import { closeInspector, type Inspected, openDialog, showTimeline } from '../../state/view.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import { LockAlerts } from '../alerts/GroupCard.tsx'
import { LockHold } from '../holds/HoldCard.tsx'
import { Facts, ReleaseEffect } from './Facts.tsx'
import styles from './Inspector.module.css'
import { LeaseLine } from './LeaseBar.tsx'
import { faceOf } from './lock-face.ts'
import { RawValue } from './RawValue.tsx'

/** The shortest time between two reads of the same lock. */
const AGAIN_MS = 1000
const TENURES_SHOWN = 8

/** One lock. Another lock needs another element. */
export function Inspector({ target }: { readonly target: Inspected }) {
  // The book is outside React; rows that it drops change only the table's revision.
  useStore(book.revision)
  useStore(table, state => state.revision)
  const row = book.rows.get(rowIdOf(target.storeId, target.id))
  const watched = row?.lock
  // Read again with every change of the lock, but not at once.
  const version = watched && `${watched.fence} ${watched.watched.renewals} ${row.change}`
  const known = useAnswer([target, version], () => ask('locks.inspect', target), {
    firstAfterMs: 0,
    afterMs: AGAIN_MS,
  })
  const reading = known?.answer ?? null
  const detail = reading?.ok ? reading.value : null
  const lock = watched ?? (detail?.lock && unwatched(detail.lock))
  const gone = row ? row.change === 'gone' : reading?.ok === true && detail === null
  return (
    <aside className={styles.inspector} aria-label={t.regions.inspector}>
      <header className={styles.head}>
        <h2 className={`mono ${styles.key}`}>{shownText(watched?.key ?? detail?.key ?? target.id, 600)}</h2>
        <Button look="quiet" aria-label={t.inspector.close} onClick={closeInspector}>
          <Icon name="cross" />
        </Button>
      </header>
      {lock && <LockParts target={target} lock={lock} gone={gone} detail={detail} />}
      {!lock && gone && <p className={styles.judgement}>{t.inspector.gone}</p>}
      {!lock && detail?.reason && (
        <p className={styles.judgement}>
          {t.inspector.notALock}: {sentence(detail.reason)}
        </p>
      )}
      {reading?.ok === false && (
        <ErrorNotice role="status" what={`${t.inspector.unreadable}:`} error={reading.error} />
      )}
      {reading === null && <p className="muted">{t.inspector.loading}</p>}
      {detail && detail.raw.length > 0 && (
        <div className={panelStyles.panel}>
          <h3>{t.inspector.raw}</h3>
          {detail.raw.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name; two may have the same label
            <RawValue key={`${i} ${part.label} ${part.encoding}`} part={part} target={target} />
          ))}
          {detail.rawLeft > 0 && <p className="muted">{t.inspector.rawLeft(detail.rawLeft)}</p>}
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
  const now = storeTime(status, useNow())
  const face = faceOf(lock, now, gone)
  const story = detail?.story ?? null
  const words = t.inspector
  return (
    <>
      <p className={styles.judgement} data-tone={face.tone}>
        <Icon name={face.icon} size={16} /> {gone ? words.gone : shownText(judgement(lock, story, now), 1200)}
      </p>
      {isBehind(status) && status.asOf !== null && (
        <Notice role="status">{words.staleHere(status.asOf)}</Notice>
      )}
      <LeaseLine lock={lock} now={now} tone={face.tone} />
      <div className={styles.actions}>
        {/* A hold of this console is released in its own panel. */}
        {!isOurs && (
          <>
            <Button look="danger" disabled={gone} onClick={() => openDialog({ kind: 'release', target })}>
              {words.release}
            </Button>
            <Button
              onClick={() => openDialog({ kind: 'hold', prefill: { storeId: target.storeId, key: lock.id } })}
            >
              {t.holds.openThis}
            </Button>
          </>
        )}
        <CopyButton text={lock.key} label={words.copyKey} />
        <Button onClick={() => showTimeline(target)}>{words.timeline}</Button>
      </div>
      <LockHold target={target} lock={lock} />
      <LockAlerts target={target} />
      <Facts lock={lock} story={story} storeId={target.storeId} formatTitle={format?.title ?? lock.format} />
      <ReleaseEffect title={words.consequence} format={format} detail={detail} />
      {story && story.tenures.length > 1 && !holdersLookAlike(lock) && <Tenures story={story} />}
    </>
  )
}

/** A lock that is not in the watch, so its history starts with this read. */
function unwatched(lock: Lock): WatchedLock {
  const at = lock.observedAt
  return {
    ...lock,
    watched: { firstSeenAt: at, heldSince: at, renewals: 0, lastRenewedAt: null, holders: 1 },
  }
}

/** The holders observed while the lock was watched, latest first. */
function Tenures({ story }: { readonly story: Story }) {
  const words = t.inspector
  return (
    <section className={panelStyles.panel} aria-label={words.holders}>
      <h3>{words.holders}</h3>
      <ol className={styles.tenures}>
        {story.tenures
          .slice(-TENURES_SHOWN)
          .reverse()
          .map(({ owner, label, from, until, renewals }) => (
            <li key={`${from} ${owner}`}>
              <span className="clip">{shownText(owner ?? label ?? t.noHolder, 80)}</span>
              <span className="faint">{words.tenure(from, until, renewals)}</span>
            </li>
          ))}
      </ol>
    </section>
  )
}
