import { useCallback, useEffect, useRef, useState } from 'react'
import type { AuditFile, AuditRow, AuditVerdict } from '../../../shared/audit.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import { closeDialog } from '../../state/view.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Dialog, DialogButtons, useRequest } from '../../ui/Dialog.tsx'
import { SearchBox } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './Audit.module.css'
import { AuditList } from './AuditList.tsx'

export function AuditDialog() {
  const [text, setText] = useState('')
  const log = useAudit(text)
  const words = t.audit
  return (
    <Dialog title={words.title} size="sheet">
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
          {t.close}
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

const DAMAGES_SHOWN = 20

/** Verifies the whole log on request and shows the result per file. */
function AuditVerify() {
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null)
  const { working, error, run } = useRequest(() => ask('audit.verify', {}), setVerdict)
  const words = t.audit
  return (
    <div className={styles.verify}>
      <Button disabled={working} onClick={run}>
        {working ? words.verifying : words.verify}
      </Button>
      <ErrorNotice what={words.verifyFailed} error={error} />
      {verdict && !error && <Verdict verdict={verdict} />}
    </div>
  )
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }) {
  const { ok, files, lines, head } = verdict
  const words = t.audit
  const bad = files.filter(isBad)
  const suspicion = ok === null ? words.incomplete : words.damaged(bad.length)
  // Damaged files first.
  const sorted = [...bad, ...files.filter(file => !isBad(file))]
  return (
    <section className={styles.verdict} data-outcome={ok ? 'passed' : 'failed'} aria-label={words.verdict}>
      <p role={ok ? 'status' : 'alert'} className={styles.conclusion}>
        <Icon name={ok ? 'check' : 'alert'} /> {ok ? words.intact(lines, files.length) : suspicion}
      </p>
      <p>
        {words.head[head.status]} {!ok && sentence(head.says)}
      </p>
      <details open={!ok}>
        <summary>{words.files}</summary>
        <ul>
          {sorted.map(file => (
            <FileItem key={file.name} file={file} />
          ))}
        </ul>
        {ok && head.hash !== null && head.file !== null && head.seq !== null && (
          <div className={styles.hash}>
            <span>{words.keep(shownText(head.file, 60), head.seq)}</span>
            <span className="mono">{shownText(head.hash, 200)}</span>
            <CopyButton text={head.hash} label={words.copyHash} />
          </div>
        )}
      </details>
    </section>
  )
}

function isBad(file: AuditFile): boolean {
  return file.state === 'damaged' || file.state === 'missing'
}

function FileItem({ file }: { readonly file: AuditFile }) {
  const words = t.audit
  return (
    <li data-bad={isBad(file) || undefined}>
      {words.file(shownText(file.name, 80), words.states[file.state], file.lines)}
      {file.begins !== null && <span className="muted"> {words.begins(shownText(file.begins))}</span>}
      {file.damages.length > 0 && (
        <ul>
          {file.damages.slice(0, DAMAGES_SHOWN).map(({ line, why }) => (
            <li key={`${line} ${why}`}>{words.damage(line, sentence(why))}</li>
          ))}
          {file.damages.length > DAMAGES_SHOWN && (
            <li>{words.moreDamages(file.damages.length - DAMAGES_SHOWN)}</li>
          )}
        </ul>
      )}
    </li>
  )
}
