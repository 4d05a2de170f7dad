import { useStore } from 'zustand'
import { holdEndSentence } from '../../../shared/hold-words.ts'
import { useNow } from '../../state/clock.ts'
import { dismissLoss, holdsStore, lossesToTell } from '../../state/holds.ts'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** A hold that was lost keeps nobody out any more: that is said over everything else, until it was seen. */
export function HoldNews() {
  const state = useStore(holdsStore)
  const losses = lossesToTell(state, useNow())
  return (
    <div className="hold-news" role="alert">
      {losses.map(hold => (
        <p key={hold.holdId} className="alert">
          <Icon name="alert" /> <span>{shownText(holdEndSentence(hold), 600)}</span>
          <button type="button" className="link" onClick={() => dismissLoss(hold.holdId)}>
            {t.holds.dismiss}
          </button>
        </p>
      ))}
    </div>
  )
}
