import { useStore } from 'zustand'
import { holdEndSentence } from '../../../shared/hold-words.ts'
import { useNow } from '../../state/clock.ts'
import { dismissLoss, holdsStore, lossesToTell } from '../../state/holds.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Holds.module.css'

/** Announces lost holds above everything else, until dismissed. */
export function HoldNews() {
  const state = useStore(holdsStore)
  const losses = lossesToTell(state, useNow())
  return (
    <div className={styles.news} role="alert">
      {losses.map(hold => (
        <Notice key={hold.holdId} role="none">
          <Icon name="alert" /> <span>{shownText(holdEndSentence(hold), 600)}</span>
          <Button look="link" onClick={() => dismissLoss(hold.holdId)}>
            {t.holds.dismiss}
          </Button>
        </Notice>
      ))}
    </div>
  )
}
