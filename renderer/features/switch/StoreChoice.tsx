import { useId } from 'react'
import type { StoreEntry } from '../../../shared/stores.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

type Props = {
  readonly label: string
  readonly entries: readonly StoreEntry[]
  readonly chosen: string | null
  /** Why one cannot be chosen; null for one that can. */
  readonly why: (entry: StoreEntry) => string | null
  readonly onChoose: (storeId: string) => void
}

export function StoreChoice({ label, entries, chosen, why, onChoose }: Props) {
  const name = useId()
  return (
    <fieldset className="store-choice">
      <legend>{label}</legend>
      {entries.map(entry => {
        const not = why(entry)
        return (
          <label key={entry.storeId} className="store-option" data-off={not !== null || undefined}>
            <input
              type="radio"
              name={name}
              checked={entry.storeId === chosen && not === null}
              disabled={not !== null}
              onChange={() => onChoose(entry.storeId)}
            />
            <span className="store-option-name">
              <span className="dot" data-colour={entry.colour} />
              <span className="clip">{shownText(entry.name, 60)}</span>
              {entry.production && <span className="prod">{t.sidebar.production}</span>}
              <span className="store-option-kind">{t.storeKinds[entry.kind]}</span>
            </span>
            {not === null ? (
              <span className="store-option-note mono clip">{shownText(entry.address, 120)}</span>
            ) : (
              <span className="store-option-note">{not}</span>
            )}
          </label>
        )
      })}
    </fieldset>
  )
}
