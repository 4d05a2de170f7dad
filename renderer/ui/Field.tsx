import { type ReactNode, useId } from 'react'
import styles from './Field.module.css'

type TextProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly placeholder?: string
  readonly required?: boolean
  readonly type?: 'text' | 'password'
  readonly mono?: boolean
  readonly wide?: boolean
  readonly autoFocus?: boolean
  readonly maxLength?: number
}

export function TextField({
  label,
  value,
  onChange,
  hint,
  placeholder,
  required,
  type = 'text',
  mono,
  wide,
  autoFocus,
  maxLength,
}: TextProps) {
  const id = useId()
  return (
    <div className={`${styles.field} ${wide ? styles.wide : ''}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={autoFocus ? markForFocus : undefined}
        className={`${styles.input} ${mono ? 'mono' : ''}`}
        type={type}
        // Browsers must not offer to save passwords that Lockkeeper stores.
        autoComplete={type === 'password' ? 'new-password' : 'off'}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the first field of a dialog
        autoFocus={autoFocus}
        maxLength={maxLength ?? 4000}
        placeholder={placeholder}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
    </div>
  )
}

/** Dialogs focus the element with this attribute, which React does not write. */
function markForFocus(input: HTMLInputElement | null): void {
  input?.setAttribute('autofocus', '')
}

type SelectProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}

export function SelectField<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={styles.input}
        value={value}
        onChange={event => onChange(event.target.value as T)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

type SwitchProps = {
  readonly label: string
  readonly hint?: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export function Switch({ label, hint, checked, onChange }: SwitchProps): ReactNode {
  const id = useId()
  return (
    <div className={styles.switch}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={event => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
    </div>
  )
}
