import fieldStyles from './Field.module.css'

type Props = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly autoFocus?: boolean
}

/** Escape first clears the box, then closes the dialog around it. */
export function SearchBox({ label, hint, value, onChange, autoFocus }: Props) {
  return (
    <input
      type="text"
      className={fieldStyles.input}
      aria-label={label}
      placeholder={hint}
      // biome-ignore lint/a11y/noAutofocus: for a dialog whose first field it is
      autoFocus={autoFocus}
      spellCheck={false}
      autoComplete="off"
      maxLength={2000}
      value={value}
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        if (event.key !== 'Escape' || value === '') return
        event.preventDefault()
        event.stopPropagation()
        onChange('')
      }}
    />
  )
}
