import { useCallback, useEffect, useRef, useState } from 'react'
import type { AuditRow } from '../../../shared/audit.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'

const PAGE = 200
/** The filter is applied this long after the last key. */
const DEBOUNCE_MS = 250

const EMPTY = {
  rows: [] as readonly AuditRow[],
  /** Where the next page starts; null at the oldest entry. */
  next: null as string | null,
  unreadable: 0,
  loading: true,
  error: null as Failure | null,
}

/** The log, a page at a time. Answers to an earlier filter are dropped. */
export function useAudit(filter: string) {
  const [state, setState] = useState(EMPTY)
  const latest = useRef(0)
  const text = filter.trim() || undefined

  const load = useCallback(
    async (before?: string) => {
      const own = ++latest.current
      setState(was => ({ ...(before === undefined ? EMPTY : was), loading: true, error: null }))
      const answer = await ask('audit.list', { text, before, limit: PAGE })
      if (own !== latest.current) return
      setState(was => {
        if (!answer.ok) return { ...was, loading: false, error: answer.error }
        const { rows, next, unreadable } = answer.value
        return {
          ...EMPTY,
          rows: [...was.rows, ...rows],
          next,
          unreadable: was.unreadable + unreadable,
          loading: false,
        }
      })
    },
    [text],
  )

  useEffect(() => {
    const timer = setTimeout(() => void load(), text === undefined ? 0 : DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [load, text])

  const { next, loading, error } = state
  const more = useCallback(() => {
    if (next !== null && !loading && error === null) void load(next)
  }, [next, loading, error, load])
  return { ...state, more }
}
