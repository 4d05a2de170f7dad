import { useState } from 'react'
import type { AuditFile, AuditVerdict } from '../../../shared/audit.ts'
import { ask } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './AuditVerify.module.css'

const DAMAGES_SHOWN = 20

/** Verifies the whole log on request and shows the result per file. */
export function AuditVerify() {
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
  // Damaged files first.
  const sorted = [...bad, ...files.filter(file => !isBad(file))]
  return (
    <section className={styles.verdict} data-outcome={ok ? 'passed' : 'failed'} aria-label={words.verdict}>
      <p role={ok ? 'status' : 'alert'} className={styles.conclusion}>
        <Icon name={ok ? 'check' : 'alert'} />{' '}
        {ok ? words.intact(lines, files.length) : words.damaged(bad.length)}
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
            <CopyButton text={head.hash} label={words.copyHash} done={t.inspector.copied} />
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
