import { releaseConsequences } from '../../../shared/lock-words.ts'
import type { FormatInfo, LockDetail } from '../../../shared/locks.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { Statements } from '../../ui/Statements.tsx'
import { t } from '../../words/words.ts'

type Props = {
  readonly title: string
  readonly format: FormatInfo | undefined
  readonly detail?: LockDetail | null
}

/** What a release does in the format's own terms, and the equivalent command. */
export function ReleaseEffect({ title, format, detail }: Props) {
  const words = t.inspector
  return (
    <section className={panelStyles.panel} aria-label={title}>
      <h3>{title}</h3>
      <ul className={panelStyles.points}>
        {format && releaseConsequences(format).map(sentence => <li key={sentence}>{sentence}</li>)}
      </ul>
      {detail && detail.release.length > 0 && (
        <Statements text={detail.release.map(neutralise).join('\n')} label={title} />
      )}
      {detail && <h3>{words.command}</h3>}
      {detail?.command === null && <p className="muted">{words.noCommand}</p>}
      {detail?.command && (
        <>
          <Statements text={neutralise(detail.command)} label={words.command} />
          <CopyButton text={detail.command} label={words.copyCommand} done={words.copied} />
        </>
      )}
    </section>
  )
}
