import { useEffect, useState } from 'react'
import type { LockDetail } from '../../../shared/locks.ts'
import type { Result } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import type { Inspected } from '../../state/overlay.ts'

export type Reading = { readonly of: Inspected; readonly result: Result<LockDetail | null> }

/** A lock that is renewed all the time is read again this often at most. */
const AGAIN_MS = 1000

/** Everything about one record, read when it is chosen and again whenever `version` says that it changed. */
export function useDetail(target: Inspected, version: string): Reading | null {
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
