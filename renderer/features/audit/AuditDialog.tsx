import { useState } from 'react'
import { closeDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { SearchBox } from '../../ui/SearchBox.tsx'
import { t } from '../../words/words.ts'
import styles from './AuditDialog.module.css'
import { AuditList } from './AuditList.tsx'
import { AuditVerify } from './AuditVerify.tsx'
import { useAudit } from './use-audit.ts'

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
