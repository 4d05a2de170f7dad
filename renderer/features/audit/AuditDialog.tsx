import { useState } from 'react'
import { closeDialog } from '../../state/overlay.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { AuditList } from './AuditList.tsx'
import { AuditVerify } from './AuditVerify.tsx'
import { useAudit } from './use-audit.ts'

export function AuditDialog() {
  const [text, setText] = useState('')
  const log = useAudit(text)
  const words = t.audit
  return (
    <Dialog title={words.title} onClose={closeDialog} className="sheet">
      <p className="muted">{words.text}</p>
      <AuditVerify />
      <input
        type="text"
        className="input"
        aria-label={words.filter}
        placeholder={words.filterHint}
        autoFocus
        spellCheck={false}
        autoComplete="off"
        maxLength={2000}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || text === '') return
          event.preventDefault()
          setText('')
        }}
      />
      {log.unreadable > 0 && (
        <div className="alert" role="alert">
          {words.unreadable(log.unreadable)}
        </div>
      )}
      {log.error && (
        <div className="alert" role="alert">
          {words.listFailed} {sentence(log.error.message)}
        </div>
      )}
      <AuditList rows={log.rows} onEnd={log.more} />
      <p className="plan-said faint" role="status">
        {log.loading
          ? words.loading
          : log.rows.length === 0
            ? log.error === null && words.none
            : log.next === null && words.end}
      </p>
      <div className="dialog-buttons">
        {log.next !== null && (
          <button type="button" className="button start" disabled={log.loading} onClick={log.more}>
            {words.more}
          </button>
        )}
        <button type="button" className="button primary" onClick={closeDialog}>
          {words.close}
        </button>
      </div>
    </Dialog>
  )
}
