import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { closeDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { t } from '../../words/words.ts'
import styles from './Report.module.css'
import { ReportForm } from './ReportForm.tsx'
import { ReportPreview, ReportProgress } from './ReportPreview.tsx'
import { type Draft, FILE_TYPES, reportFileName, requestOf, resumeDraft } from './report-draft.ts'
import { useReport } from './use-report.ts'

/** For the session, so that the operator can look something up in the table and continue. */
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
    // Stores are read for one of the two at a time, and the file comes first.
    isPaused.current = preview.running
    preview.cancel()
    const report = await writing.read(request)
    if (report && prints) isPaused.current = false
    resume()
    if (!report) return
    if (prints) {
      // The frame prints what it shows, once it shows it.
      printing.current = () => frame.current?.contentWindow?.print()
      setShown({ html: report.parts.join(''), of: draft })
      setOutcome(words.printed(report.locks))
      return
    }
    const name = reportFileName(draft.format, request.to)
    saveFile(name, report.parts, FILE_TYPES[draft.format])
    setOutcome((makesPdf ? words.handedOver : words.saved)(name, report.locks))
  }

  function resume() {
    if (isPaused.current) void update(draft)
    isPaused.current = false
  }

  function change(part: Partial<Draft>) {
    setDraft(was => ({ ...was, ...part }))
    if (writing.running) return
    // The outcome of the last file is not about this one.
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
          {words.close}
        </Button>
        {writing.running ? (
          <Button onClick={cancel}>{words.cancel}</Button>
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
