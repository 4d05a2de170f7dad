import { useId } from 'react'
import { filterTrouble } from '../../../shared/filter.ts'
import { REPORT_FORMATS } from '../../../shared/reports.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import fieldStyles from '../../ui/Field.module.css'
import { Switch, TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StoreDot } from '../stores/StoreName.tsx'
import styles from './Report.module.css'
import { type Draft, PRESETS, type Preset, windowOf } from './report-draft.ts'

type Props = {
  readonly draft: Draft
  readonly open: readonly StoreEntry[]
  /** Whether the host makes PDF itself; elsewhere the browser prints. */
  readonly makesPdf: boolean
  readonly onChange: (change: Partial<Draft>) => void
}

export function ReportForm({ draft, open, makesPdf, onChange }: Props) {
  const words = t.report
  const summaryId = useId()
  const presets = [...(Object.keys(PRESETS) as Preset[]), 'custom' as const]
  const about = draft.format === 'pdf' && !makesPdf ? words.printAbout : words.about[draft.format]
  return (
    <div className={styles.form}>
      <Segments
        label={words.window}
        value={draft.preset}
        options={presets.map(preset => [preset, words.presets[preset]] as const)}
        onChange={preset => onChange({ preset })}
      />
      {draft.preset === 'custom' && <CustomWindow draft={draft} onChange={onChange} />}
      <FilterField value={draft.filter} onChange={filter => onChange({ filter })} />
      {open.length > 1 && <StoreChoice draft={draft} open={open} onChange={onChange} />}
      <TextField
        label={words.name}
        value={draft.title}
        onChange={title => onChange({ title })}
        maxLength={200}
      />
      <div className={fieldStyles.field}>
        <label htmlFor={summaryId}>{words.summary}</label>
        <textarea
          id={summaryId}
          className={fieldStyles.input}
          rows={4}
          maxLength={20_000}
          aria-describedby={`${summaryId}-hint`}
          value={draft.summary}
          onChange={event => onChange({ summary: event.target.value })}
        />
        <span id={`${summaryId}-hint`} className={fieldStyles.hint}>
          {words.summaryHint}
        </span>
      </div>
      <Switch
        label={words.tokens}
        hint={words.tokensHint}
        checked={draft.withTokens}
        onChange={withTokens => onChange({ withTokens })}
      />
      {draft.withTokens && <Notice role="status">{words.tokensWarning}</Notice>}
      <Segments
        label={words.format}
        value={draft.format}
        options={REPORT_FORMATS.toSorted(byUse).map(format => [format, words.formats[format]] as const)}
        onChange={format => onChange({ format })}
        hint={about}
      />
    </div>
  )
}

const USE = ['html', 'pdf', 'md', 'json', 'csv']

function byUse(a: string, b: string): number {
  return USE.indexOf(a) - USE.indexOf(b)
}

function CustomWindow({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const id = useId()
  const words = t.report
  const isWrong = windowOf(draft, Date.now()) === null
  return (
    <div className={styles.times}>
      {(['from', 'to'] as const).map(end => (
        <div className={fieldStyles.field} key={end}>
          <label htmlFor={`${id}-${end}`}>{words[end]}</label>
          <input
            id={`${id}-${end}`}
            className={fieldStyles.input}
            type="datetime-local"
            value={draft[end]}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? `${id}-wrong` : undefined}
            onChange={event => onChange({ [end]: event.target.value })}
          />
        </div>
      ))}
      {isWrong ? (
        <span id={`${id}-wrong`} className={`${fieldStyles.hint} ${fieldStyles.wrong}`} role="alert">
          {words.badWindow}
        </span>
      ) : (
        <span className={fieldStyles.hint}>{words.localTime}</span>
      )}
    </div>
  )
}

function StoreChoice({ draft, open, onChange }: Pick<Props, 'draft' | 'open' | 'onChange'>) {
  const words = t.report
  const toggle = (storeId: string, isIn: boolean) =>
    onChange({
      without: isIn ? draft.without.filter(each => each !== storeId) : [...draft.without, storeId],
    })
  return (
    <fieldset className={styles.stores}>
      <legend>{words.stores}</legend>
      {open.map(({ storeId, name, colour }) => (
        <label key={storeId} className={styles.store}>
          <input
            type="checkbox"
            checked={!draft.without.includes(storeId)}
            onChange={event => toggle(storeId, event.target.checked)}
          />
          <StoreDot colour={colour} />
          <span className="clip">{name}</span>
        </label>
      ))}
      {open.every(({ storeId }) => draft.without.includes(storeId)) && (
        <span className={`${fieldStyles.hint} ${fieldStyles.wrong}`} role="alert">
          {words.noStore}
        </span>
      )}
    </fieldset>
  )
}

type FilterProps = { readonly value: string; readonly onChange: (value: string) => void }

/** The locks of the report. A filter that a report cannot use is refused while it is typed. */
function FilterField({ value, onChange }: FilterProps) {
  const id = useId()
  const trouble = filterTrouble(value)
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{t.report.filter}</label>
      <input
        id={id}
        className={`${fieldStyles.input} mono`}
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        value={value}
        aria-invalid={trouble !== null || undefined}
        aria-describedby={`${id}-hint`}
        onChange={event => onChange(event.target.value)}
      />
      <span
        id={`${id}-hint`}
        className={trouble === null ? fieldStyles.hint : `${fieldStyles.hint} ${fieldStyles.wrong}`}
        role="status"
      >
        {trouble === null ? t.report.filterHint : sentence(trouble)}
      </span>
    </div>
  )
}
