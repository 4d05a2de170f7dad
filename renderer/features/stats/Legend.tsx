import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import type { Ink } from './ink.ts'

export type OverTimeLine = { readonly name: string; readonly word: string; readonly ink: Ink }

type Props = {
  readonly lines: readonly OverTimeLine[]
  readonly values: readonly number[] | null
  readonly format: (value: number) => string
  /** The time that is read; null for the latest, which `latest` says. */
  readonly at: number | null
  readonly latest: string
  /** Whether they are drawn as lines, and not as areas. */
  readonly asLines: boolean
  readonly note: string | null
  /** Whether the reading is said aloud: when the keys move it. */
  readonly live: boolean
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (name: string) => void
}

/** What the lines are, and what they say at the time that is pointed at. */
export function Legend(props: Props) {
  const { lines, values, format, at, latest, asLines, note, live, hidden, onToggle } = props
  const visible = lines.filter(({ name }) => !hidden.has(name)).length
  return (
    <div className={chartStyles.legend} aria-live={live ? 'polite' : 'off'}>
      <span className={`${chartStyles.time} number`}>{at === null ? latest : t.dateTime(at)}</span>
      {lines.map(({ name, word, ink }, i) => (
        <button
          key={name}
          type="button"
          className={chartStyles.item}
          aria-pressed={!hidden.has(name)}
          title={t.stats.hide(word)}
          disabled={visible === 1 && !hidden.has(name)}
          onClick={() => onToggle(name)}
        >
          <span
            className={chartStyles.swatch}
            data-pattern={ink.pattern}
            data-dash={asLines ? dashOf(ink) : undefined}
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
      {note === null && at === null && <span className={`${chartStyles.hint} faint`}>{t.stats.hint}</span>}
    </div>
  )
}

function dashOf({ dash }: Ink): 'none' | 'mixed' | 'long' | 'short' {
  if (dash.length === 0) return 'none'
  return dash.length > 2 ? 'mixed' : (dash[0] ?? 0) > 3 ? 'long' : 'short'
}
