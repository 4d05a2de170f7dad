import { releaseConsequences } from '../../../shared/lock-words.ts'
import type { FormatInfo, LockDetail } from '../../../shared/locks.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { Statements } from '../../ui/Statements.tsx'
import { t } from '../../words/words.ts'

type Props = { readonly format: FormatInfo | undefined; readonly detail: LockDetail | null }

/** What a release does in the format's own terms, and the equivalent command. */
export function ReleaseEffect({ format, detail }: Props) {
  return (
    <section className={panelStyles.panel} aria-label={t.inspector.consequence}>
      <h3>{t.inspector.consequence}</h3>
      {format && (
        <ul className={panelStyles.points}>
          {releaseConsequences(format).map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {detail && detail.release.length > 0 && (
        <Statements text={detail.release.map(neutralise).join('\n')} label={t.inspector.consequence} />
      )}
      {detail && (
        <>
          <h3>{t.inspector.command}</h3>
          {detail.command === null ? (
            <p className="muted">{t.inspector.noCommand}</p>
          ) : (
            <>
              <Statements text={neutralise(detail.command)} label={t.inspector.command} />
              <CopyButton text={detail.command} label={t.inspector.copyCommand} done={t.inspector.copied} />
            </>
          )}
        </>
      )}
    </section>
  )
}
