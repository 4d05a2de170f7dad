import { useId } from 'react'
import { filterTrouble } from '../../../shared/filter.ts'
import type { ReportFormat } from '../../../shared/reports.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { STATS_WINDOWS } from '../../state/windows.ts'
import fieldStyles from '../../ui/Field.module.css'
import { Hint, hintId, Segments, Switch, TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import segmentStyles from '../../ui/Segments.module.css'
import { sentence, t } from '../../words/words.ts'
import { StoreDot } from '../stores/StoreName.tsx'
import styles from './Report.module.css'
import { type Draft, windowOf } from './report-draft.ts'

const BY_USE: readonly ReportFormat[] = ['html', 'pdf', 'md', 'json', 'csv']

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
  // On every keystroke, because a report refuses an invalid filter.
  const trouble = filterTrouble(draft.filter)
  const about = draft.format === 'pdf' && !makesPdf ? words.printAbout : words.about[draft.format]
  return (
    <div className={styles.form}>
      <Segments
        label={words.window}
        value={draft.preset}
        options={[...STATS_WINDOWS, 'custom' as const].map(each => [each, words.presets[each]] as const)}
        onChange={preset => onChange({ preset })}
      />
      {draft.preset === 'custom' && <CustomWindow draft={draft} onChange={onChange} />}
      <TextField
        label={words.filter}
        hint={words.filterHint}
        wrong={trouble === null ? undefined : sentence(trouble)}
        mono
        maxLength={2000}
        value={draft.filter}
        onChange={filter => onChange({ filter })}
      />
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
          aria-describedby={hintId(summaryId, words.summaryHint)}
          value={draft.summary}
          onChange={event => onChange({ summary: event.target.value })}
        />
        <Hint id={summaryId} text={words.summaryHint} />
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
        options={BY_USE.map(format => [format, words.formats[format]] as const)}
        onChange={format => onChange({ format })}
        hint={about}
      />
    </div>
  )
}

function CustomWindow({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const id = useId()
  const words = t.report
  const isWrong = windowOf(draft, Date.now()) === null
  const note = isWrong ? words.badWindow : words.localTime
  return (
    <div className={styles.times}>
      {(['from', 'to'] as const).map(end => (
        <TextField
          key={end}
          type="datetime-local"
          label={words[end]}
          value={draft[end]}
          aria-invalid={isWrong || undefined}
          aria-describedby={hintId(id, note)}
          onChange={value => onChange({ [end]: value })}
        />
      ))}
      <Hint id={id} text={note} wrong={isWrong} />
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
    <fieldset className={segmentStyles.segments}>
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
        <span className={fieldStyles.wrong} role="alert">
          {words.noStore}
        </span>
      )}
    </fieldset>
  )
}
