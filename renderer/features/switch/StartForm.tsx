import { useId, useState } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import { act, showSwitch, switchStore, underWay } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Segments } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import segmentStyles from '../../ui/Segments.module.css'
import viewStyles from '../../ui/View.module.css'
import { shownText, t } from '../../words/words.ts'
import { ProductionBadge, StoreDot } from '../stores/StoreName.tsx'
import styles from './StartForm.module.css'

const QUIETS = ['30000', '60000', '300000', '900000'] as const
type Quiet = (typeof QUIETS)[number]

export function StartForm() {
  const entries = useStore(consoleStore, state => state.entries)
  const runs = useStore(switchStore, state => state.runs)
  const today = useStore(consoleStore, inUse)
  const [chosenFrom, setFrom] = useState<string | null>(null)
  const [chosenTo, setTo] = useState<string | null>(null)
  const [quiet, setQuiet] = useState<Quiet>('30000')
  const titleId = useId()
  const words = t.switch.start
  const able = entries.filter(entry => whyNot(entry) === null)
  const from = chosenFrom ?? today
  const [onlyOther, ...more] = able.filter(({ storeId }) => storeId !== from)
  // With two stores there is nothing to choose.
  const impliedTo = from !== null && more.length === 0 ? (onlyOther?.storeId ?? null) : null
  const to = chosenTo ?? impliedTo
  const known = underWay(runs).find(run => run.from.storeId === from && run.to.storeId === to)
  const begin = useRequest(
    () => {
      const quietMs = known ? {} : { quietMs: Number(quiet) }
      return act('switch.begin', { fromStoreId: from ?? '', toStoreId: to ?? '', ...quietMs })
    },
    run => showSwitch(run.switchId),
  )
  const mayBegin = from !== null && to !== null && from !== to && !begin.working

  return (
    <form
      className={styles.start}
      aria-labelledby={titleId}
      onSubmit={event => {
        event.preventDefault()
        if (mayBegin) begin.run()
      }}
    >
      <h2 id={titleId}>{words.title}</h2>
      <p className={`muted ${styles.lead}`}>{words.text}</p>
      <div className={styles.sides}>
        <StoreChoice
          label={words.from}
          chosen={from}
          taken={null}
          onChoose={storeId => {
            setFrom(storeId)
            if (to === storeId) setTo(null)
          }}
        />
        <span className={styles.arrow} aria-hidden="true" />
        <StoreChoice label={words.to} chosen={to} taken={from} onChoose={setTo} />
      </div>
      {able.length < 2 && <p className={viewStyles.notice}>{words.one}</p>}
      {!known && (
        <Segments
          label={words.quiet}
          value={quiet}
          options={QUIETS.map(each => [each, words.quiets[each]] as const)}
          onChange={setQuiet}
          hint={words.quietHint}
        />
      )}
      <ErrorNotice what={words.failed} error={begin.error} />
      <div className={styles.begin}>
        <Button type="submit" look="primary" disabled={!mayBegin}>
          {known ? words.goOn : words.begin}
        </Button>
        {known && <span className="muted">{words.already}</span>}
      </div>
    </form>
  )
}

/** Why a store cannot be chosen; null if it can. */
function whyNot({ storeId, open, kind, problem }: StoreEntry, taken: string | null = null): string | null {
  const words = t.switch.start
  if (kindOf(kind).isEmbedded) return words.embedded
  if (!open || problem !== null) return words.notOpen
  return storeId === taken ? words.sameStore : null
}

/** The store that LOCK_PROVIDER names where this console was started. */
function inUse({ suggestions, entries }: ConsoleState): string | null {
  const address = suggestions.find(({ current }) => current)?.address
  return entries.find(each => each.address === address && whyNot(each) === null)?.storeId ?? null
}

type ChoiceProps = {
  readonly label: string
  readonly chosen: string | null
  /** The store that is chosen for the other side, which cannot be chosen here. */
  readonly taken: string | null
  readonly onChoose: (storeId: string) => void
}

function StoreChoice({ label, chosen, taken, onChoose }: ChoiceProps) {
  const entries = useStore(consoleStore, state => state.entries)
  const name = useId()
  return (
    <fieldset className={segmentStyles.segments}>
      <legend>{label}</legend>
      {entries.map(entry => {
        const why = whyNot(entry, taken)
        return (
          <label key={entry.storeId} className={styles.option} data-off={why !== null || undefined}>
            <input
              type="radio"
              name={name}
              checked={entry.storeId === chosen && why === null}
              disabled={why !== null}
              onChange={() => onChoose(entry.storeId)}
            />
            <span className={styles.optionName}>
              <StoreDot colour={entry.colour} />
              <span className="clip">{shownText(entry.name, 60)}</span>
              {entry.production && <ProductionBadge />}
              <span className={styles.optionKind}>{kindOf(entry.kind).label}</span>
            </span>
            <span className={why === null ? `${styles.optionNote} mono clip` : styles.optionNote}>
              {why ?? shownText(entry.address, 120)}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
