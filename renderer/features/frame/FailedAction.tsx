import { useStore } from 'zustand'
import { consoleStore, dismissFailed } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, t } from '../../words/words.ts'
import styles from './FailedAction.module.css'

/** Above the view: the error of an action that cannot show it itself. */
export function FailedAction() {
  const failed = useStore(consoleStore, state => state.failed)
  return (
    <div role="alert" className={styles.bar}>
      {failed && (
        <>
          <Icon name="alert" />
          <span>
            {failed.what} {sentence(failed.error.message)}
          </span>
          <Button look="link" onClick={dismissFailed}>
            {t.dismiss}
          </Button>
        </>
      )}
    </div>
  )
}
