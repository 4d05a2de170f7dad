import { type KeyboardEvent, useState } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { Lock, Released, ReleaseOutcome } from '../../../shared/locks.ts'
import type { Result } from '../../../shared/result.ts'
import { useNow } from '../../state/clock.ts'
import { ask, book, consoleStore, isBehind, statusOf } from '../../state/console.ts'
import { type Row, rowIdOf } from '../../state/lock-book.ts'
import { table } from '../../state/table.ts'
import { closeDialog, type Inspected, openDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogAnswer, DialogEnd, DialogForm, DialogSubject } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import { UndoButton } from '../plans/PlanRun.tsx'
import { RulesNotice } from '../stores/RulesNotice.tsx'
import { ProductionBadge } from '../stores/StoreName.tsx'
import { Fact, Notes, ReleaseEffect } from './Facts.tsx'
import { ageText } from './lock-face.ts'

type Answer = Result<Released>

export function ReleaseDialog({ target }: { readonly target: Inspected }) {
  // What the operator saw when the dialog opened. A release carries its fence and no other.
  const [seen, setSeen] = useState<Row | undefined>(() => book.rows.get(rowIdOf(target.storeId, target.id)))
  if (seen) return <SeenLock key={seen.lock.fence} seen={seen} onLookAgain={setSeen} />
  return (
    <Dialog title={t.release.title}>
      <p>{t.release.notListed}</p>
      <DialogEnd />
    </Dialog>
  )
}

type SeenProps = { readonly seen: Row; readonly onLookAgain: (row: Row) => void }

function SeenLock({ seen, onLookAgain }: SeenProps) {
  const { storeId, lock } = seen
  // Draws again with every change in the book.
  useStore(table, state => state.revision)
  const current = book.rows.get(seen.rowId)
  const { entries, formats } = useStore(consoleStore)
  const status = useStore(consoleStore, state => statusOf(state, storeId))
  const store = entries.find(each => each.storeId === storeId)
  const now = useNow() + status.offsetMs
  // The connection the lock was seen through.
  const [revision] = useState(store?.revision)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [working, setWorking] = useState(false)
  const [answer, setAnswer] = useState<Answer | null>(null)

  const words = t.release
  const gone = !current || current.change === 'gone'
  const changed = !gone && current.lock.fence !== lock.fence
  const productionName = store?.productionName ?? null
  const production = productionName !== null
  const hasReason = reason.trim() !== ''
  const ready =
    !working &&
    !gone &&
    !changed &&
    !store?.readOnly &&
    (!production || (typed === productionName && hasReason))

  // Enter releases only with a reason, and never in production: a second key right after the one that opened the dialog
  // must not release.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (production || !hasReason)) event.preventDefault()
  }

  async function release() {
    setWorking(true)
    const { id, fence } = lock
    const confirm = production ? typed : undefined
    const request = { storeId, id, fence, reason: reason.trim() || undefined, confirm, revision }
    setAnswer(await ask('locks.release', request))
    setWorking(false)
  }

  if (answer) return <AnswerDialog seen={seen} answer={answer} />
  return (
    <Dialog title={words.title} onClose={() => !working && closeDialog()}>
      <DialogForm
        look="danger"
        submit={working ? words.working : words.confirm}
        disabled={!ready}
        cancelDisabled={working}
        onSubmit={() => void release()}
      >
        <DialogSubject>{shownText(lock.key, 300)}</DialogSubject>
        <dl className={panelStyles.facts}>
          <Fact name={words.who}>{shownText(holderText(lock), 200)}</Fact>
          <Fact name={words.age}>{ageText(lock, now)}</Fact>
          <Fact name={words.store}>
            {store?.name}
            {production && <ProductionBadge />}
          </Fact>
        </dl>
        <ReleaseEffect title={words.consequence} format={formats.get(lock.format)} />
        <Notes lock={lock} />
        <RulesNotice store={store} />
        {store?.readOnly && <Notice>{words.readOnly}</Notice>}
        {gone && <Notice>{words.goneWhileOpen}</Notice>}
        {changed && (
          <Notice>
            {sayChange(lock, current.lock)}{' '}
            <Button look="link" onClick={() => onLookAgain(current)}>
              {words.lookAgain}
            </Button>
          </Notice>
        )}
        {isBehind(status) && status.asOf !== null && <Notice>{words.stale(status.asOf)}</Notice>}
        <TextField
          label={words.reason}
          placeholder={production ? words.reasonNeeded : words.reasonHint}
          required={production}
          value={reason}
          onChange={setReason}
          onKeyDown={onKeyDown}
          maxLength={2000}
          autoFocus
        />
        {productionName !== null && (
          <TextField
            label={words.typeName(productionName)}
            value={typed}
            onChange={setTyped}
            onKeyDown={onKeyDown}
          />
        )}
      </DialogForm>
    </Dialog>
  )
}

function sayChange(seen: Lock, now: Lock): string {
  if (seen.owner !== now.owner) return t.release.changedWhileOpen(shownText(holderText(now), 120))
  return holdersLookAlike(seen) ? t.release.alikeWhileOpen : t.release.renewedWhileOpen
}

function AnswerDialog({ seen, answer }: { readonly seen: Row; readonly answer: Answer }) {
  const { storeId, lock } = seen
  const released = answer.ok && answer.value.outcome === 'released' ? answer.value : null
  return (
    <Dialog title={t.release.title}>
      <DialogSubject>{shownText(lock.key, 300)}</DialogSubject>
      <DialogAnswer outcome={outcomeOf(answer)}>{sayAnswer(answer)}</DialogAnswer>
      {released && (
        <Button look="link" onClick={() => openDialog({ kind: 'hold', prefill: { storeId, key: lock.id } })}>
          {t.holds.afterRelease}
        </Button>
      )}
      <DialogEnd>{released && <UndoButton of={released.action} until={released.undoUntil} />}</DialogEnd>
    </Dialog>
  )
}

function outcomeOf(answer: Answer): string {
  if (answer.ok) return answer.value.outcome
  return answer.error.uncertain ? 'uncertain' : 'refused'
}

function sayAnswer(answer: Answer): string {
  const words = t.release
  if (answer.ok) return sayOutcome(answer.value)
  const { message, uncertain } = answer.error
  return `${uncertain ? words.uncertain : words.refused} ${sentence(message)}`
}

function sayOutcome(outcome: ReleaseOutcome): string {
  const words = t.release
  switch (outcome.outcome) {
    case 'released':
      return outcome.notified === null
        ? words.released
        : `${words.released} ${words.notified(outcome.notified)}`
    case 'changed':
      return words.changed(outcome.current && shownText(holderText(outcome.current), 120))
    case 'gone':
      return words.gone
  }
}
