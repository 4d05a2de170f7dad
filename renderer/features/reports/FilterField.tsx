import { useId } from 'react'
import { filterTrouble } from '../../../shared/filter-words.ts'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

type Props = { readonly value: string; readonly onChange: (value: string) => void }

/** Which locks. What a report cannot be asked for is said here, while it is typed. */
export function FilterField({ value, onChange }: Props) {
  const id = useId()
  const trouble = filterTrouble(value)
  return (
    <div className="field">
      <label htmlFor={id}>{t.report.filter}</label>
      <input
        id={id}
        className="input mono"
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        value={value}
        aria-invalid={trouble !== null || undefined}
        aria-describedby={`${id}-hint`}
        onChange={event => onChange(event.target.value)}
      />
      <span id={`${id}-hint`} className={trouble === null ? 'hint' : 'hint wrong'} role="status">
        {trouble === null ? t.report.filterHint : sentence(trouble)}
      </span>
    </div>
  )
}
