import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { closeDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './Report.module.css'
import { ReportForm } from './ReportForm.tsx'
import { type Draft, PREVIEW_LOCKS, reportFileName, requestOf, resumeDraft } from './report-draft.ts'
import { type Reading, useReport } from './use-report.ts'

/** Kept for the session, so that the operator can check the table and continue. */
let kept: Parameters<typeof resumeDraft>[0] = null

/** Fills in a report, previews it, and saves or prints it. */
export function ReportDialog() {
  const { entries, info } = useStore(consoleStore)
  const [draft, setDraft] = useState(() => resumeDraft(kept, table.getState().filterText, Date.now()))
  useEffect(() => {
    kept = { draft, tableFilter: table.getState().filterText }
  }, [draft])
  const [shown, setShown] = useState({ html: '', of: draft })
  const [outcome, setOutcome] = useState<string | null>(null)
  const preview = useReport()
  const writing = useReport()
  /** The preview waits for the file. */
  const isPaused = useRef(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const printing = useRef<(() => void) | null>(null)
  const open = useMemo(() => entries.filter(entry => entry.open && !entry.problem), [entries])
  const storeIds = useMemo(() => open.map(({ storeId }) => storeId), [open])
  const makesPdf = info?.host === 'electron'
  const prints = draft.format === 'pdf' && !makesPdf
  const words = t.report

  const { read } = preview
  const update = useCallback(
    async (of: Draft) => {
      const request = requestOf(of, storeIds, 'preview', Date.now())
      const report = request && (await read(request))
      if (report) setShown({ html: report.parts.join(''), of })
    },
    [read, storeIds],
  )
  // Once at the start; after that, on request.
  const first = useRef(true)
  useEffect(() => {
    if (first.current) void update(draft)
    first.current = false
  }, [update, draft])

  async function write() {
    const request = requestOf(draft, storeIds, prints ? 'print' : 'file', Date.now())
    if (!request) return
    setOutcome(null)
    // Only one of the two reads the stores at a time, and the file comes first.
    isPaused.current = preview.running
    preview.cancel()
    const report = await writing.read(request)
    if (report && prints) isPaused.current = false
    resume()
    if (!report) return
    if (prints) {
      // The frame prints its page once it has loaded.
      printing.current = () => frame.current?.contentWindow?.print()
      setShown({ html: report.parts.join(''), of: draft })
      setOutcome(words.printed(report.locks))
      return
    }
    const name = reportFileName(draft.format, request.to)
    saveFile(name, report.parts)
    setOutcome((makesPdf ? words.handedOver : words.saved)(name, report.locks))
  }

  function resume() {
    if (isPaused.current) void update(draft)
    isPaused.current = false
  }

  function change(part: Partial<Draft>) {
    setDraft(was => ({ ...was, ...part }))
    if (writing.running) return
    // The last outcome belongs to another file.
    setOutcome(null)
    writing.cancel()
  }

  function cancel() {
    writing.cancel()
    setOutcome(words.cancelled)
    resume()
  }

  const may = requestOf(draft, storeIds, 'file', Date.now()) !== null
  return (
    <Dialog title={words.title} size="sheet" className={styles.dialog}>
      <p className="muted">{words.text}</p>
      <div className={styles.columns}>
        <ReportForm draft={draft} open={open} makesPdf={makesPdf} onChange={change} />
        <ReportPreview
          html={shown.html}
          reading={preview}
          stale={shown.html !== '' && !isSameReport(shown.of, draft)}
          mayUpdate={may}
          frame={frame}
          onUpdate={() => void update(draft)}
          onLoad={() => {
            printing.current?.()
            printing.current = null
          }}
        />
      </div>
      <ReportProgress reading={writing} isPaper={draft.format === 'pdf'} outcome={outcome} />
      <DialogButtons>
        <Button start onClick={closeDialog}>
          {t.close}
        </Button>
        {writing.running ? (
          <Button onClick={cancel}>{t.cancel}</Button>
        ) : (
          <Button look="primary" disabled={!may} onClick={() => void write()}>
            {prints ? words.print : words.save}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  )
}

/** The format does not change the content. */
function isSameReport(a: Draft, b: Draft): boolean {
  return JSON.stringify({ ...a, format: '' }) === JSON.stringify({ ...b, format: '' })
}

type PreviewProps = {
  readonly html: string
  readonly reading: Reading
  /** The draft has changed since. */
  readonly stale: boolean
  readonly mayUpdate: boolean
  readonly frame: RefObject<HTMLIFrameElement | null>
  readonly onUpdate: () => void
  readonly onLoad: () => void
}

/**
 * The report in a frame that runs no script. The frame has the page's own origin only so that the page may print it, under the
 * page's own policy.
 */
function ReportPreview({ html, reading, stale, mayUpdate, frame, onUpdate, onLoad }: PreviewProps) {
  const words = t.report
  return (
    <div className={styles.preview} data-stale={stale || undefined}>
      <div className={styles.bar}>
        <span className="muted" role="status">
          {reading.running ? words.previewing : stale ? words.stale : words.previewNote(PREVIEW_LOCKS)}
        </span>
        <Button disabled={!mayUpdate || reading.running} onClick={onUpdate}>
          {words.update}
        </Button>
      </div>
      <ErrorNotice what={words.previewFailed} error={reading.error} />
      <iframe
        ref={frame}
        className={styles.frame}
        title={words.preview}
        sandbox="allow-same-origin allow-modals"
        srcDoc={html}
        onLoad={onLoad}
      />
    </div>
  )
}

type ProgressProps = {
  readonly reading: Reading
  readonly isPaper: boolean
  /** The outcome of the last file. */
  readonly outcome: string | null
}

/** The progress of the file, or its outcome. */
function ReportProgress({ reading, isPaper, outcome }: ProgressProps) {
  const words = t.report
  const { running, progress, error, report } = reading
  if (error) return <ErrorNotice what={words.failed} error={error} />
  if (running) {
    const { done, of } = progress ?? { done: 0, of: null }
    const text =
      of === null ? words.gathering : isPaper && done >= of ? words.layingOut : words.written(done, of)
    return (
      <div className={styles.progress}>
        <span role="status">{text}</span>
        <progress
          aria-label={words.progress}
          {...(of === null ? {} : { max: Math.max(of, 1), value: done })}
        />
      </div>
    )
  }
  if (outcome === null) return null
  return (
    <div className={styles.said} role="status">
      {outcome}
      {report?.unread.map(({ store, message }) => (
        <p key={`${store} ${message}`} className={styles.unread}>
          {words.unread(shownText(store, 80), sentence(message))}
        </p>
      ))}
    </div>
  )
}
