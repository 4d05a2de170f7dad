import { expiresAtOf, heldSinceOf, usedFraction } from '../../../shared/lease.ts'
import type { WatchedLock } from '../../../shared/locks.ts'
import { t } from '../../words/words.ts'
import { LeaseBar } from './LockRow.tsx'
import type { Face } from './lock-face.ts'

type Props = { readonly lock: WatchedLock; readonly now: number; readonly tone: Face['tone'] }

/** The lease as a line, from where it began to where it ends. */
export function LeaseLine({ lock, now, tone }: Props) {
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
    <div className="lease-line" data-tone={tone}>
      <LeaseBar used={used} endless={lock.lease.kind === 'never'} />
      {used !== null && (
        <span className="visually-hidden">{t.inspector.leaseUsed(Math.floor(used * 100))}</span>
      )}
      <div className="lease-ends">
        <span>{start}</span>
        <span>{end || t.inspector.now(now)}</span>
      </div>
    </div>
  )
}
