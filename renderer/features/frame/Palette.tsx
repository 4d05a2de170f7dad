import { useState } from 'react'
import { closeDialog, focusView } from '../../state/view.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextInput } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { allCommands, type Command, fits } from './commands.ts'
import styles from './Palette.module.css'

export function Palette() {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const commands = [...allCommands(typed.trim())]
  // The last command filters the table by the typed text, so it always fits.
  const shown = commands.filter(
    (command, i) => fits(command.label, typed) || (typed.trim() !== '' && i === commands.length - 1),
  )
  const chosen = Math.min(at, shown.length - 1)

  const run = (command: Command | undefined) => {
    if (!command) return
    closeDialog()
    focusView()
    command.run()
  }

  return (
    <Dialog title={t.palette.title} titleHidden className={styles.palette}>
      <TextInput
        className={styles.input}
        role="combobox"
        aria-label={t.palette.placeholder}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={t.palette.placeholder}
        autoFocus
        value={typed}
        onChange={text => {
          setTyped(text)
          setAt(0)
        }}
        onKeyDown={event => {
          const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 + shown.length }[event.key]
          if (to !== undefined && shown.length > 0) {
            event.preventDefault()
            const next = to % shown.length
            setAt(next)
            document.getElementById(`palette-${next}`)?.scrollIntoView({ block: 'nearest' })
          }
          if (event.key === 'Enter') {
            event.preventDefault()
            run(shown[chosen])
          }
        }}
      />
      <div id="palette-list" role="listbox" aria-label={t.palette.title} className={styles.list}>
        {shown.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input above keeps the focus
          <div
            key={command.label}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === chosen}
            className={styles.item}
            onClick={() => run(command)}
          >
            {command.label}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className={`muted ${styles.none}`}>{t.palette.nothing}</p>}
    </Dialog>
  )
}
