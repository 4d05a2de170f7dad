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

export function LeaseBar({ used, endless, wide }: BarProps) {
  const known = used === null ? 'unknown' : 'known'
  return (
    <span
      className={`${styles.bar} ${wide ? styles.wide : ''}`}
      data-kind={endless ? 'endless' : known}
      aria-hidden="true"
    >
      {used !== null && <span className={styles.used} style={{ transform: `scaleX(${used})` }} />}
    </span>
  )
}

type LineProps = { readonly lock: WatchedLock; readonly now: number; readonly tone: Face['tone'] }

/** The lease from its start to its end. */
export function LeaseLine({ lock, now, tone }: LineProps) {
  const words = t.inspector
  const used = usedFraction(lock, now)
  return (
    <div data-tone={tone}>
      <LeaseBar used={used} endless={lock.lease.kind === 'never'} wide />
      {used !== null && <span className="visually-hidden">{words.leaseUsed(Math.floor(used * 100))}</span>}
      <div className={styles.ends}>
        <span>{sayStart(lock)}</span>
        <span>{sayEnd(lock, now)}</span>
      </div>
    </div>
  )
}

function sayStart(lock: WatchedLock): string {
  if (lock.acquiredAt !== null) return t.inspector.acquiredAt(lock.acquiredAt)
  const since = heldSinceOf(lock)
  return since === null ? '' : t.inspector.seenAt(since.at)
}

function sayEnd(lock: WatchedLock, now: number): string {
  const end = expiresAtOf(lock.lease)
  if (end === null) return t.inspector.now(now)
  return end > now ? t.inspector.endsAt(end) : t.inspector.endedAt(end)
}
