import { noteSentence } from '../../../shared/lock-words.ts'
import type { Lock } from '../../../shared/locks.ts'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** What an operator should know before trusting what the lock says, and before releasing it. */
export function Notes({ lock }: { readonly lock: Lock }) {
  if (lock.notes.length === 0) return null
  return (
    <section className="notes" aria-label={t.inspector.notes}>
      {lock.notes.map(note => (
        <p key={JSON.stringify(note)}>
          <Icon name="alert" size={12} /> {shownText(noteSentence(note, t.dateTime), 600)}
        </p>
      ))}
    </section>
  )
}
