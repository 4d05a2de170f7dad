import { MODE_CONSEQUENCES } from '../../../shared/hold-words.ts'
import type { HoldChoices, HoldMode } from '../../../shared/holds.ts'
import { Segments, SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import styles from './Holds.module.css'
import { DURATIONS, type DurationName, forMsOf, type HoldDraft, WAITS, type WaitName } from './hold-draft.ts'

type Props = {
  readonly draft: HoldDraft
  readonly change: (part: Partial<HoldDraft>) => void
  readonly choices: HoldChoices | null
  readonly taken: boolean
  /** The name to type; null outside production. */
  readonly productionName: string | null
  readonly startsAtReason: boolean
}

/** The length, mode and reason of a hold. */
export function HoldTerms({ draft, change, choices, taken, productionName, startsAtReason }: Props) {
  const words = t.holds
  const durations: (readonly [DurationName, string])[] = [
    ...Object.entries(DURATIONS).map(([name, ms]) => [name as DurationName, words.preset(ms)] as const),
    ['own', words.own],
  ]
  const waits = Object.entries(WAITS).map(([name, ms]) => [name as WaitName, words.preset(ms)] as const)
  return (
    <>
      {choices && <FormatField draft={draft} change={change} choices={choices} />}
      {taken && (
        <div className={styles.wait}>
          <Switch label={words.wait} checked={draft.waits} onChange={on => change({ waits: on })} />
          {draft.waits && (
            <SelectField
              label={words.waitFor}
              value={draft.waitFor}
              options={waits}
              onChange={waitFor => change({ waitFor })}
            />
          )}
        </div>
      )}
      <Segments
        label={words.duration}
        value={draft.howLong}
        options={durations}
        onChange={howLong => change({ howLong })}
      />
      {draft.howLong === 'own' && (
        <TextField
          label={words.ownTime}
          hint={draft.own === '' || forMsOf(draft) !== null ? words.ownHint : words.wrongTime}
          value={draft.own}
          onChange={own => change({ own })}
          autoFocus
          maxLength={20}
        />
      )}
      <Segments
        label={words.mode}
        value={draft.mode}
        options={Object.entries(words.modeNames) as [HoldMode, string][]}
        onChange={mode => change({ mode })}
        hint={MODE_CONSEQUENCES[draft.mode]}
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={draft.reason}
        onChange={reason => change({ reason })}
        maxLength={2000}
        autoFocus={startsAtReason}
      />
      {productionName !== null && (
        <TextField
          label={words.typeName(productionName)}
          value={draft.typed}
          onChange={typed => change({ typed })}
          maxLength={200}
        />
      )}
    </>
  )
}

type FormatProps = Pick<Props, 'draft' | 'change'> & { readonly choices: HoldChoices }

/** Only if the format is a guess; a record decides it otherwise. */
function FormatField({ draft, change, choices }: FormatProps) {
  const { formats, suggested, certain } = choices
  if (formats.length < 2 || certain) return null
  const chosen = draft.format === '' ? (suggested ?? '') : draft.format
  return (
    <SelectField
      label={t.holds.format}
      hint={t.holds.formatGuess}
      value={chosen}
      options={formats.map(({ format, title }) => [format, title] as const)}
      onChange={format => change({ format })}
    />
  )
}
