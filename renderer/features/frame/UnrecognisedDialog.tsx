import { useStore } from 'zustand'
import { consoleStore, statusOf } from '../../state/console.ts'
import { closeDialog, inspect } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx'
import { shownText, t } from '../../words/words.ts'
import styles from './UnrecognisedDialog.module.css'

/** Records in no known format: never hidden, never guessed at. */
export function UnrecognisedDialog() {
  const state = useStore(consoleStore)
  const stores = state.entries
    .map(entry => ({ entry, ...statusOf(state, entry.storeId).unrecognised }))
    .filter(({ count }) => count > 0)
  return (
    <Dialog title={t.unrecognised.title} size="wide">
      <p className="muted">{t.unrecognised.text}</p>
      {stores.map(({ entry, count, sample }) => (
        <section key={entry.storeId} aria-label={entry.name}>
          <h3>{entry.name}</h3>
          <ul className={styles.records}>
            {sample.map(({ key, reason }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two tables may have records of the same name
              <li key={`${i} ${key}`}>
                <Button
                  look="link"
                  className="mono clip"
                  onClick={() => {
                    inspect({ storeId: entry.storeId, id: key })
                    closeDialog()
                  }}
                >
                  {shownText(key, 120)}
                </Button>
                <span className="muted">{shownText(reason)}</span>
              </li>
            ))}
          </ul>
          {sample.length < count && <p className="muted">{t.unrecognised.some(sample.length, count)}</p>}
        </section>
      ))}
      <DialogEnd />
    </Dialog>
  )
}
