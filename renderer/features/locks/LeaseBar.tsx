import { expiresAtOf, heldSinceOf, usedFraction } from '../../../shared/lease.ts'
import type { WatchedLock } from '../../../shared/locks.ts'
import { t } from '../../words/words.ts'
import styles from './LeaseBar.module.css'
import type { Face } from './lock-face.ts'

type BarProps = {
  /** How much of the lease is used, 0 to 1; null if unknown. */
  readonly used: number | null
  readonly endless: boolean
  readonly wide?: boolean
}

export function LeaseBar({ used, endless, wide = false }: BarProps) {
  return (
    <span
      className={`${styles.bar} ${wide ? styles.wide : ''}`}
      data-kind={endless ? 'endless' : used === null ? 'unknown' : 'known'}
      aria-hidden="true"
    >
      {used !== null && <span className={styles.used} style={{ transform: `scaleX(${used})` }} />}
    </span>
  )
}

type LineProps = { readonly lock: WatchedLock; readonly now: number; readonly tone: Face['tone'] }

/** The lease from its start to its end. */
export function LeaseLine({ lock, now, tone }: LineProps) {
  const ends = expiresAtOf(lock.lease)
  const used = usedFraction(lock, now)
  const since = heldSinceOf(lock)
  const start =
    lock.acquiredAt !== null
      ? t.inspector.acquiredAt(lock.acquiredAt)
      : since === null
        ? ''
        : t.inspector.seenAt(since.at)
  const end = ends === null ? '' : ends > now ? t.inspector.endsAt(ends) : t.inspector.endedAt(ends)
  return (
    <div data-tone={tone}>
      <LeaseBar used={used} endless={lock.lease.kind === 'never'} wide />
      {used !== null && (
        <span className="visually-hidden">{t.inspector.leaseUsed(Math.floor(used * 100))}</span>
      )}
      <div className={styles.ends}>
        <span>{start}</span>
        <span>{end || t.inspector.now(now)}</span>
      </div>
    </div>
  )
}
