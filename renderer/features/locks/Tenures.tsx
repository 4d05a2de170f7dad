import type { Story } from '../../../shared/locks.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

const SHOWN = 8

/** Who was seen to hold it while it was watched, the last one first. */
export function Tenures({ story }: { readonly story: Story | null }) {
  if (!story || story.tenures.length < 2) return null
  return (
    <section className="panel" aria-label={t.inspector.holders}>
      <h3>{t.inspector.holders}</h3>
      <ol className="tenures">
        {story.tenures
          .toReversed()
          .slice(0, SHOWN)
          .map(({ owner, label, from, until, renewals }) => (
            <li key={`${from} ${owner}`}>
              <span className="clip">{shownText(owner ?? label ?? t.table.noOwner, 80)}</span>
              <span className="faint">{t.inspector.tenure(from, until, renewals)}</span>
            </li>
          ))}
      </ol>
    </section>
  )
}
