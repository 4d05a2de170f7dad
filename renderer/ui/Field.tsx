import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './Field.module.css'
import segmentStyles from './Segments.module.css'

type Described = { readonly label: ReactNode; readonly hint?: ReactNode }

type HintProps = {
  readonly id: string
  readonly text: ReactNode
  /** The text says why the input is invalid. */
  readonly wrong?: boolean
}

/** The hint of the input with this id, which names it in `aria-describedby`. */
export function Hint({ id, text, wrong }: HintProps) {
  if (!text) return null
  return (
    <span
      id={hintId(id, text)}
      className={wrong ? styles.wrong : styles.hint}
      role={wrong ? 'alert' : undefined}
    >
      {text}
    </span>
  )
}

export function hintId(id: string, hint: ReactNode): string | undefined {
  return hint ? `${id}-hint` : undefined
}

type InputProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  readonly onChange: (value: string) => void
  readonly mono?: boolean
}

/** A text input without a label of its own. */
export function TextInput({ onChange, mono, className = '', ...input }: InputProps) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      maxLength={4000}
      {...input}
      className={`${styles.input} ${mono ? 'mono' : ''} ${className}`}
      onChange={event => onChange(event.target.value)}
    />
  )
}

type TextProps = Described &
  InputProps & {
    readonly wide?: boolean
    /** Why the value is invalid, in place of the hint. */
    readonly wrong?: string | undefined
  }

export function TextField({ label, hint, wide, wrong, ...input }: TextProps) {
  const id = useId()
  const text = wrong ?? hint
  return (
    <div className={`${styles.field} ${wide ? styles.wide : ''}`}>
      <label htmlFor={id}>{label}</label>
      <TextInput
        id={id}
        ref={input.autoFocus ? markForFocus : undefined}
        // Browsers must not offer to save passwords that Lockkeeper stores.
        autoComplete={input.type === 'password' ? 'new-password' : 'off'}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={hintId(id, text)}
        {...input}
      />
      <Hint id={id} text={text} wrong={wrong !== undefined} />
    </div>
  )
}

/** Dialogs focus the element with this attribute, which React does not write. */
function markForFocus(input: HTMLInputElement | null): void {
  input?.setAttribute('autofocus', '')
}

type ChoiceProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
  readonly hint?: string
}

export function SelectField<T extends string>({ label, value, options, onChange, hint }: ChoiceProps<T>) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={styles.input}
        value={value}
        aria-describedby={hintId(id, hint)}
        onChange={event => onChange(event.target.value as T)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <Hint id={id} text={hint} />
    </div>
  )
}

type SwitchProps = Described & {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export function Switch({ label, hint, checked, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className={styles.switch}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hintId(id, hint)}
        onChange={event => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <Hint id={id} text={hint} />
    </div>
  )
}

/** A form field with a few visible choices: radio buttons side by side. */
export function Segments<T extends string>({ label, value, options, onChange, hint }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset className={segmentStyles.segments} aria-describedby={hintId(name, hint)}>
      <legend>{label}</legend>
      <div className={segmentStyles.row}>
        {options.map(([option, text]) => (
          <label key={option} className={segmentStyles.segment}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <Hint id={name} text={hint} />
    </fieldset>
  )
}

type SegmentButtonsProps<T extends string> = Omit<ChoiceProps<T>, 'hint'> & {
  readonly className?: string | undefined
}

/** The same choice in the head of a card or a view: small buttons that take effect at once. */
export function SegmentButtons<T extends string>(props: SegmentButtonsProps<T>) {
  const { label, value, options, onChange, className } = props
  return (
    <span className={`${segmentStyles.segmented} ${className ?? ''}`} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </span>
  )
}

type SearchProps = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly autoFocus?: boolean
}

/** Escape first clears the box, then closes the dialog around it. */
export function SearchBox({ label, hint, value, onChange, autoFocus }: SearchProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={hint}
      autoFocus={autoFocus}
      maxLength={2000}
      value={value}
      onChange={onChange}
      onKeyDown={event => {
        if (event.key !== 'Escape' || value === '') return
        event.preventDefault()
        event.stopPropagation()
        onChange('')
      }}
    />
  )
}
