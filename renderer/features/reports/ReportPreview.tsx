import type { RefObject } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Report.module.css'
import { PREVIEW_LOCKS } from './report-draft.ts'
import type { Reading } from './use-report.ts'

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
export function ReportPreview({ html, reading, stale, mayUpdate, frame, onUpdate, onLoad }: PreviewProps) {
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
export function ReportProgress({ reading, isPaper, outcome }: ProgressProps) {
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
