import { releaseConsequences } from '../../../shared/lock-words.ts'
import type { FormatInfo, LockDetail } from '../../../shared/locks.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { t } from '../../words/words.ts'

type Props = { readonly format: FormatInfo | undefined; readonly detail: LockDetail | null }

/** What a release does in the format's own terms, and the same for whoever does it by hand. */
export function ReleaseEffect({ format, detail }: Props) {
  return (
    <section className="panel" aria-label={t.inspector.consequence}>
      <h3>{t.inspector.consequence}</h3>
      {format && (
        <ul className="consequences">
          {releaseConsequences(format).map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {detail && detail.release.length > 0 && (
        <Statements lines={detail.release} label={t.inspector.consequence} />
      )}
      {detail && (
        <>
          <h3>{t.inspector.command}</h3>
          {detail.command === null ? (
            <p className="muted">{t.inspector.noCommand}</p>
          ) : (
            <>
              <Statements lines={[detail.command]} label={t.inspector.command} />
              <CopyButton text={detail.command} label={t.inspector.copyCommand} done={t.inspector.copied} />
            </>
          )}
        </>
      )}
    </section>
  )
}

function Statements({ lines, label }: { readonly lines: readonly string[]; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <pre className="statements mono" tabIndex={0} role="group" aria-label={label}>
      {lines.map(neutralise).join('\n')}
    </pre>
  )
}
