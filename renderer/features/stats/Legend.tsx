import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import type { Ink } from './ink.ts'

export type Line = { readonly name: string; readonly word: string; readonly ink: Ink }

type Props = {
  readonly lines: readonly Line[]
  readonly values: readonly number[] | null
  readonly format: (value: number) => string
  /** The time of the values. */
  readonly when: string
  readonly stacked: boolean
  readonly note: string | null
  readonly hasHint: boolean
  /** Announces the reading, when the keys move it. */
  readonly live: boolean
  /** The names of the hidden lines. */
  readonly hidden: readonly string[]
  readonly onHide: (hidden: readonly string[]) => void
}

/** The lines, and their values at the time that is pointed at. */
export function Legend(props: Props) {
  const { lines, values, format, when, stacked, note, hasHint, live, hidden, onHide } = props
  const visible = lines.filter(({ name }) => !hidden.includes(name))
  const toggle = (name: string) =>
    onHide(hidden.includes(name) ? hidden.filter(each => each !== name) : [...hidden, name])
  return (
    <div className={chartStyles.legend} aria-live={live ? 'polite' : 'off'}>
      <span className={`${chartStyles.time} number`}>{when}</span>
      {lines.map(({ name, word, ink }, i) => (
        <button
          key={name}
          type="button"
          className={chartStyles.item}
          aria-pressed={!hidden.includes(name)}
          title={t.stats.hide(word)}
          disabled={visible.length === 1 && visible[0]?.name === name}
          onClick={() => toggle(name)}
        >
          <span
            className={chartStyles.swatch}
            data-pattern={ink.pattern}
            data-dash={stacked ? undefined : ink.dash.join(' ')}
            style={{ color: `var(${ink.colour})` }}
          />
          {word}{' '}
          <span className={`number ${chartStyles.value}`}>{values ? format(values[i] ?? 0) : '–'}</span>
        </button>
      ))}
      {note !== null && (
        <span className={chartStyles.note} title={t.stats.countedAsSeen}>
          {note}
        </span>
      )}
      {hasHint && <span className={`${chartStyles.hint} faint`}>{t.stats.hint}</span>}
    </div>
  )
}
