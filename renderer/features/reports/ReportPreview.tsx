import type { RefObject } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import styles from './Report.module.css'
import { PREVIEW_LOCKS } from './report-draft.ts'
import type { Reading } from './use-report.ts'

type Props = {
  readonly html: string | null
  readonly reading: Reading
  /** Something was changed since it was made. */
  readonly stale: boolean
  readonly mayUpdate: boolean
  readonly frame: RefObject<HTMLIFrameElement | null>
  readonly onUpdate: () => void
  readonly onLoad: () => void
}

/**
 * The report as it will be, in a frame that runs no script. It is of the page's own origin only so that the page may print it,
 * and under the page's own policy.
 */
export function ReportPreview({ html, reading, stale, mayUpdate, frame, onUpdate, onLoad }: Props) {
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
        srcDoc={html ?? ''}
        onLoad={onLoad}
      />
    </div>
  )
}
