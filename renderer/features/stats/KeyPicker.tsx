import { useEffect, useId, useState } from 'react'
import { useStore } from 'zustand'
import type { KeyChoice } from '../../../shared/stats.ts'
import { ask, consoleStore } from '../../state/console.ts'
import fieldStyles from '../../ui/Field.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import timelineStyles from './Timeline.module.css'

type Props = { readonly scope: string | null; readonly onChoose: (key: KeyChoice) => void }

const TYPED_MS = 150
const SHOWN = 12

/** Finds a key that was seen. The input keeps the focus, and the arrow keys move through the list. */
export function KeyPicker({ scope, onChoose }: Props) {
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const [found, setFound] = useState<readonly KeyChoice[]>([])
  const [at, setAt] = useState(0)
  const entries = useStore(consoleStore, state => state.entries)
  const id = useId()
  const chosen = Math.min(at, found.length - 1)

  useEffect(() => {
    if (!open) return
    let wanted = true
    const timer = setTimeout(async () => {
      const query = { text: typed.trim(), limit: SHOWN, ...(scope === null ? {} : { storeIds: [scope] }) }
      const answer = await ask('stats.keys', query)
      if (wanted && answer.ok) setFound(answer.value)
    }, TYPED_MS)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [typed, open, scope])

  const choose = (key: KeyChoice | undefined) => {
    if (!key) return
    setOpen(false)
    setTyped('')
    onChoose(key)
  }
  const move = (to: number) => {
    if (found.length > 0) setAt((to + found.length) % found.length)
  }
  return (
    <div className={timelineStyles.picker}>
      <input
        className={`${fieldStyles.input} mono`}
        role="combobox"
        aria-label={t.stats.chooseKey}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={t.stats.chooseKeyHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        value={typed}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={event => {
          setTyped(event.target.value)
          setOpen(true)
          setAt(0)
        }}
        onKeyDown={event => {
          const keys: Record<string, () => void> = {
            ArrowDown: () => (open ? move(chosen + 1) : setOpen(true)),
            ArrowUp: () => move(chosen - 1),
            Enter: () => open && choose(found[chosen]),
            Escape: () => (open ? setOpen(false) : setTyped('')),
          }
          const run = keys[event.key]
          if (!run) return
          event.preventDefault()
          event.stopPropagation()
          run()
        }}
      />
      {open && (
        <div id={`${id}-list`} role="listbox" aria-label={t.stats.keys} className={timelineStyles.list}>
          {found.map((key, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input above keeps the focus
            <div
              key={`${key.storeId} ${key.id}`}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === chosen}
              className={timelineStyles.option}
              // Before the input loses the focus and the list with it.
              onPointerDown={event => event.preventDefault()}
              onClick={() => choose(key)}
            >
              <span className="mono clip">{shownText(key.key, 200)}</span>
              <span className={`faint ${timelineStyles.more}`}>
                {shownText(entries.find(each => each.storeId === key.storeId)?.name ?? '', 40)}
                {' · '}
                {t.stats.keySeen(key.tenures, key.heldNow)}
              </span>
            </div>
          ))}
        </div>
      )}
      {open && found.length === 0 && (
        <p className={`${timelineStyles.list} ${timelineStyles.none} muted`}>{t.stats.noKeys}</p>
      )}
    </div>
  )
}
