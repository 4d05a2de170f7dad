import { useStore } from 'zustand'
import { consoleStore, statusOf } from '../../state/console.ts'
import { closeDialog, inspect } from '../../state/overlay.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** Records that nobody understands are shown, never hidden and never guessed at. */
export function UnrecognisedDialog() {
  const state = useStore(consoleStore)
  const stores = state.entries
    .map(entry => ({ entry, ...statusOf(state, entry.storeId).unrecognised }))
    .filter(({ count }) => count > 0)
  return (
    <Dialog title={t.unrecognised.title} onClose={closeDialog} className="wide">
      <p className="muted">{t.unrecognised.text}</p>
      {stores.map(({ entry, count, sample }) => (
        <section key={entry.storeId} aria-label={entry.name}>
          <h3>{entry.name}</h3>
          <ul className="unrecognised">
            {sample.map(({ key, reason }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two tables may have records of the same name
              <li key={`${i} ${key}`}>
                <button
                  type="button"
                  className="link mono clip"
                  onClick={() => {
                    inspect({ storeId: entry.storeId, id: key })
                    closeDialog()
                  }}
                >
                  {shownText(key, 120)}
                </button>
                <span className="muted">{shownText(reason)}</span>
              </li>
            ))}
          </ul>
          {sample.length < count && <p className="muted">{t.unrecognised.some(sample.length, count)}</p>}
        </section>
      ))}
      <div className="dialog-buttons">
        <button type="button" className="button primary" onClick={closeDialog}>
          {t.keys.close}
        </button>
      </div>
    </Dialog>
  )
}
