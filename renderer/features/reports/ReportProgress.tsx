import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Report.module.css'
import type { Reading, WholeReport } from './use-report.ts'

type Props = {
  readonly reading: Reading
  readonly isPaper: boolean
  /** What became of the last one. */
  readonly said: string | null
}

/** How far the writing is, or what came of it. */
export function ReportProgress({ reading, isPaper, said }: Props) {
  const words = t.report
  const { running, progress, error, report } = reading
  if (running) {
    const of = progress?.of ?? null
    const done = progress?.done ?? 0
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
  if (error) return <ErrorNotice what={words.failed} error={error} />
  if (said === null) return null
  return (
    <div className={styles.said} role="status">
      {said}
      <Unread report={report} />
    </div>
  )
}

function Unread({ report }: { readonly report: WholeReport | null }) {
  return report?.unread.map(({ store, message }) => (
    <p key={`${store} ${message}`} className={styles.unread}>
      {t.report.unread(shownText(store, 80), sentence(message))}
    </p>
  ))
}
