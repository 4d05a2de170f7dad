import { useId } from 'react'

type Props<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
  readonly hint?: string
}

/** One of a few, all of them in view: the platform's radio buttons, side by side. */
export function Segments<T extends string>({ label, value, options, onChange, hint }: Props<T>) {
  const name = useId()
  return (
    <fieldset className="segments" aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
      <legend>{label}</legend>
      <div className="segment-row">
        {options.map(([option, text]) => (
          <label key={option} className="segment">
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <span id={`${name}-hint`} className="hint">
          {hint}
        </span>
      )}
    </fieldset>
  )
}
