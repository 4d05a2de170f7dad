import { useState } from 'react'
import { useStore } from 'zustand'
import type { Input } from '../../../shared/contract.ts'
import { holdsForMaintenance, MODE_CONSEQUENCES } from '../../../shared/hold-words.ts'
import type { HoldChoices, HoldMode, TakenHold } from '../../../shared/holds.ts'
import { expiresAtOf } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { Result } from '../../../shared/result.ts'
import { useNow } from '../../state/clock.ts'
import { ask, consoleStore, statusOf } from '../../state/console.ts'
import { useAnswer } from '../../state/use-answer.ts'
import { closeDialog, type HoldPrefill, show } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogAnswer, DialogEnd, DialogForm, DialogSubject, useRequest } from '../../ui/Dialog.tsx'
import { Segments, SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import { RulesNotice } from '../stores/RulesNotice.tsx'
import styles from './Holds.module.css'
import {
  DURATIONS,
  type DurationName,
  forMsOf,
  type HoldDraft,
  isTaken,
  newDraft,
  requestOf,
  WAITS,
  type WaitName,
} from './hold-draft.ts'

export function HoldDialog({ prefill }: { readonly prefill?: HoldPrefill }) {
  const [taken, setTaken] = useState<TakenHold | null>(null)
  const words = t.holds
  return (
    <Dialog title={words.dialog}>
      {taken && taken.outcome !== 'refused' ? (
        <HeldAnswer taken={taken} />
      ) : (
        <HoldForm prefill={prefill} onTaken={setTaken} />
      )}
    </Dialog>
  )
}

type FormProps = { readonly prefill: HoldPrefill | undefined; readonly onTaken: (taken: TakenHold) => void }

function HoldForm({ prefill, onTaken }: FormProps) {
  const words = t.holds
  const entries = useStore(consoleStore, state => state.entries)
  const open = entries.filter(each => each.open)
  const [draft, setDraft] = useState(() => newDraft({ storeId: open[0]?.storeId ?? '', ...prefill }))
  const change = (part: Partial<HoldDraft>) => setDraft(before => ({ ...before, ...part }))
  const store = open.find(each => each.storeId === draft.storeId)
  const offsetMs = useStore(consoleStore, state => statusOf(state, draft.storeId).offsetMs)
  const now = useNow() + offsetMs
  const answer = useChoices(draft.storeId, draft.key)
  const choices = answer?.ok ? answer.value : null
  const [refused, setRefused] = useState<string | null>(null)

  const taken = isTaken(choices?.current ?? null, now)
  const productionName = store?.productionName ?? null
  const production = productionName !== null
  const request = requestOf(draft, { taken, production, revision: store?.revision })
  const ready =
    store !== undefined &&
    !store.readOnly &&
    draft.key !== '' &&
    choices !== null &&
    (choices.problem === null || draft.format !== '') &&
    request !== null &&
    draft.reason.trim() !== '' &&
    (!taken || draft.waits) &&
    (!production || draft.typed === productionName)

  const take = useRequest(
    (input: Input<'holds.take'>) => ask('holds.take', input),
    answer => {
      if (answer.outcome !== 'refused') return onTaken(answer)
      setRefused(answer.other === null ? words.refusedNobody : words.refused(shownText(answer.other, 120)))
      change({ waits: true })
    },
  )
  const failed = take.error?.uncertain ? words.uncertain : words.notDone

  if (open.length === 0) return <p>{words.noStore}</p>
  return (
    <DialogForm
      submit={take.working ? words.working : taken ? words.confirmWait : words.confirm}
      disabled={!ready || take.working}
      cancelDisabled={take.working}
      what={take.error ? failed : undefined}
      error={take.error ?? refused}
      onSubmit={() => request && take.run(request)}
    >
      <p className="muted">{words.intro}</p>
      <SelectField
        label={words.store}
        value={draft.storeId}
        options={open.map(each => [each.storeId, each.name] as const)}
        onChange={storeId => change({ storeId, format: '', typed: '' })}
      />
      <TextField
        label={words.key}
        mono
        value={draft.key}
        onChange={key => change({ key, format: '' })}
        autoFocus={prefill?.key === undefined}
      />
      {draft.key !== '' && <LockAvailability answer={answer} now={now} />}
      <HoldTerms
        draft={draft}
        change={change}
        choices={choices}
        taken={taken}
        productionName={productionName}
        startsAtReason={prefill?.key !== undefined}
      />
      <RulesNotice store={store} />
      {store?.readOnly && <Notice>{words.readOnly}</Notice>}
    </DialogForm>
  )
}

type Taken = Exclude<TakenHold, { outcome: 'refused' }>

function HeldAnswer({ taken: { outcome, hold } }: { readonly taken: Taken }) {
  const words = t.holds
  const end = (outcome === 'waiting' ? hold.waitsUntil : hold.until) ?? 0
  return (
    <>
      <DialogSubject>{shownText(hold.key, 300)}</DialogSubject>
      <DialogAnswer outcome={outcome === 'held' ? 'released' : 'gone'}>
        {outcome === 'held' ? words.held(end) : words.waiting(end)}
      </DialogAnswer>
      <DialogEnd>
        <Button
          onClick={() => {
            closeDialog()
            show('holds')
          }}
        >
          {words.showHolds}
        </Button>
      </DialogEnd>
    </>
  )
}

type TermsProps = {
  readonly draft: HoldDraft
  readonly change: (part: Partial<HoldDraft>) => void
  readonly choices: HoldChoices | null
  readonly taken: boolean
  /** The name to type; null outside production. */
  readonly productionName: string | null
  readonly startsAtReason: boolean
}

/** The length, mode and reason of a hold. */
function HoldTerms({ draft, change, choices, taken, productionName, startsAtReason }: TermsProps) {
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

type FormatProps = Pick<TermsProps, 'draft' | 'change'> & { readonly choices: HoldChoices }

/** Shown only if the format is a guess: an existing record decides it. */
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

type AvailabilityProps = { readonly answer: Result<HoldChoices> | null; readonly now: number }

/** Whether the lock is free, and who holds it, kept up to date. */
function LockAvailability({ answer, now }: AvailabilityProps) {
  const { tone, icon, text } = availabilityOf(answer, now)
  return (
    <p className={styles.availability} role="status" data-tone={tone}>
      <Icon name={icon} /> {text}
    </p>
  )
}

type Availability = {
  readonly tone: 'calm' | 'live' | 'warn' | 'danger'
  readonly icon: IconName
  readonly text: string
}

function availabilityOf(answer: Result<HoldChoices> | null, now: number): Availability {
  const words = t.holds.there
  if (answer === null) return { tone: 'calm', icon: 'again', text: words.unknown }
  if (!answer.ok)
    return { tone: 'danger', icon: 'alert', text: `${words.unread} ${sentence(answer.error.message)}` }
  const { problem, current } = answer.value
  if (problem !== null) return { tone: 'danger', icon: 'alert', text: sentence(problem) }
  if (current === null) return { tone: 'live', icon: 'check', text: words.free }
  const who = holdsForMaintenance(current.owner) ?? shownText(holderText(current), 120)
  if (!isTaken(current, now)) return { tone: 'live', icon: 'check', text: words.expired(who) }
  const until = expiresAtOf(current.lease)
  return {
    tone: 'warn',
    icon: 'ring',
    text: until === null ? words.heldBy(who) : words.heldByUntil(who, until),
  }
}

/** After the last keystroke. */
const REST_MS = 250
/** Between two reads, because the holder may change while the dialog is open. */
const AGAIN_MS = 2000

/** The current lock of a key and its possible formats; null until known. */
function useChoices(storeId: string, key: string): Result<HoldChoices> | null {
  const question = storeId === '' || key === '' ? null : { storeId, key }
  const known = useAnswer(question, of => ask('holds.choices', of), { afterMs: REST_MS, againMs: AGAIN_MS })
  return known?.of.storeId === storeId && known.of.key === key ? known.answer : null
}
