import { useCallback, useEffect, useRef, useState } from 'react'
import type { AuditRow } from '../../../shared/audit.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { SearchBox } from '../../ui/SearchBox.tsx'
import { t } from '../../words/words.ts'
import styles from './AuditDialog.module.css'
import { AuditList } from './AuditList.tsx'
import { AuditVerify } from './AuditVerify.tsx'

export function AuditDialog() {
  const [text, setText] = useState('')
  const log = useAudit(text)
  const words = t.audit
  return (
    <Dialog title={words.title} onClose={closeDialog} size="sheet">
      <p className="muted">{words.text}</p>
      <AuditVerify />
      <SearchBox label={words.filter} hint={words.filterHint} value={text} onChange={setText} autoFocus />
      {log.unreadable > 0 && <Notice>{words.unreadable(log.unreadable)}</Notice>}
      <ErrorNotice what={words.listFailed} error={log.error} />
      <AuditList rows={log.rows} onEnd={log.more} />
      <p className={`faint ${styles.status}`} role="status">
        {log.loading
          ? words.loading
          : log.rows.length === 0
            ? log.error === null && words.none
            : log.next === null && words.end}
      </p>
      <DialogButtons>
        {log.next !== null && (
          <Button start disabled={log.loading} onClick={log.more}>
            {words.more}
          </Button>
        )}
        <Button look="primary" onClick={closeDialog}>
          {words.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

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
function useAudit(filter: string) {
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
