import { useCallback, useEffect, useRef, useState } from 'react'
import type { AuditRow } from '../../../shared/audit.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'

const PAGE = 200
/** The filter is applied this long after the last key. */
const DEBOUNCE_MS = 250

type State = {
  readonly rows: readonly AuditRow[]
  /** Where the next page starts; null at the oldest entry. */
  readonly next: string | null
  readonly unreadable: number
  readonly loading: boolean
  readonly error: Failure | null
}

const EMPTY: State = { rows: [], next: null, unreadable: 0, loading: true, error: null }

/** The log, a page at a time. Answers to an earlier filter are dropped. */
export function useAudit(text: string) {
  const [state, setState] = useState<State>(EMPTY)
  const latest = useRef(0)

  const load = useCallback(
    async (before: string | null) => {
      const own = ++latest.current
      setState(was => ({ ...(before === null ? EMPTY : was), loading: true, error: null }))
      const answer = await ask('audit.list', {
        ...(text.trim() === '' ? {} : { text: text.trim() }),
        ...(before === null ? {} : { before }),
        limit: PAGE,
      })
      if (own !== latest.current) return
      setState(was =>
        answer.ok
          ? {
              rows: before === null ? answer.value.rows : [...was.rows, ...answer.value.rows],
              next: answer.value.next,
              unreadable: (before === null ? 0 : was.unreadable) + answer.value.unreadable,
              loading: false,
              error: null,
            }
          : { ...was, loading: false, error: answer.error },
      )
    },
    [text],
  )

  useEffect(() => {
    const timer = setTimeout(() => void load(null), text === '' ? 0 : DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [load, text])

  const { next, loading, error } = state
  const more = useCallback(() => {
    if (next !== null && !loading && error === null) void load(next)
  }, [next, loading, error, load])
  return { ...state, more }
}
