import { useId } from 'react'
import { Hint, hintId } from './Field.tsx'
import styles from './Segments.module.css'

type Options<T extends string> = readonly (readonly [T, string])[]

type SegmentsProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: Options<T>
  readonly onChange: (value: T) => void
  readonly hint?: string
}

/** A form field with a few visible choices: radio buttons side by side. */
export function Segments<T extends string>({ label, value, options, onChange, hint }: SegmentsProps<T>) {
  const name = useId()
  return (
    <fieldset className={styles.segments} aria-describedby={hintId(name, hint)}>
      <legend>{label}</legend>
      <div className={styles.row}>
        {options.map(([option, text]) => (
          <label key={option} className={styles.segment}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <Hint id={name} text={hint} />
    </fieldset>
  )
}

type SegmentButtonsProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: Options<T>
  readonly onChange: (value: T) => void
  readonly className?: string | undefined
}

/** The same choice in the head of a card or a view: small buttons that take effect at once. */
export function SegmentButtons<T extends string>(props: SegmentButtonsProps<T>) {
  const { label, value, options, onChange, className } = props
  return (
    <span className={`${styles.segmented} ${className ?? ''}`} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </span>
  )
}
