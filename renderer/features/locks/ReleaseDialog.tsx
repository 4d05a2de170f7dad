import { useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { holderText, releaseConsequences } from '../../../shared/lock-words.ts'
import type { Lock, Released, ReleaseOutcome } from '../../../shared/locks.ts'
import type { Failure, Result } from '../../../shared/result.ts'
import { useNow } from '../../state/clock.ts'
import { ask, book, consoleStore, isBehind, statusOf } from '../../state/console.ts'
import { type Row, rowIdOf } from '../../state/lock-book.ts'
import { closeDialog, type Inspected, openDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogAnswer, DialogButtons, DialogSubject } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { UndoButton } from '../plans/UndoButton.tsx'
import { ProductionBadge } from '../stores/StoreName.tsx'
import { Notes } from './Facts.tsx'
import { ageText } from './lock-face.ts'

type Answer = Result<Released>

export function ReleaseDialog({ target }: { readonly target: Inspected }) {
  // What the operator saw when the dialog opened. A release carries its fence and no other.
  const [seen, setSeen] = useState<Row | undefined>(() => book.rows.get(rowIdOf(target.storeId, target.id)))
  if (!seen)
    return (
      <Dialog title={t.release.title} onClose={closeDialog}>
        <p>{t.release.notListed}</p>
        <Buttons />
      </Dialog>
    )
  return <ReleaseForm key={seen.lock.fence} seen={seen} onLookAgain={setSeen} />
}

type FormProps = { readonly seen: Row; readonly onLookAgain: (row: Row) => void }

function ReleaseForm({ seen, onLookAgain }: FormProps) {
  const { storeId, lock } = seen
  // Draws again with every change in the book.
  useStore(table, state => state.revision)
  const current = book.rows.get(seen.rowId)
  const { entries, formats } = useStore(consoleStore)
  const status = useStore(consoleStore, state => statusOf(state, storeId))
  const store = entries.find(each => each.storeId === storeId)
  const format = formats.get(lock.format)
  const consequences = useMemo(() => (format ? releaseConsequences(format) : []), [format])
  const now = useNow() + status.offsetMs
  // The connection the lock was seen through.
  const [revision] = useState(store?.revision)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [working, setWorking] = useState(false)
  const [answer, setAnswer] = useState<Answer | null>(null)

  const gone = !current || current.change === 'gone'
  const changed = !gone && current.lock.fence !== lock.fence
  const production = store?.production === true
  const ready =
    !gone && !changed && !store?.readOnly && (!production || (typed === store?.name && reason.trim() !== ''))

  async function release() {
    setWorking(true)
    const result = await ask('locks.release', {
      storeId,
      id: lock.id,
      fence: lock.fence,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      ...(production ? { confirm: typed } : {}),
      ...(revision === undefined ? {} : { revision }),
    })
    setWorking(false)
    setAnswer(result)
  }

  if (answer) return <AnswerDialog storeId={storeId} lock={lock} answer={answer} />
  return (
    <Dialog title={t.release.title} onClose={() => !working && closeDialog()}>
      <form
        onSubmit={event => {
          event.preventDefault()
          // Enter releases only with a reason: a second key right after the one that opened the dialog must not release.
          if (ready && !working && reason.trim() !== '') void release()
        }}
      >
        <DialogSubject>{shownText(lock.key, 300)}</DialogSubject>
        <dl className={panelStyles.facts}>
          <dt>{t.release.who}</dt>
          <dd>{shownText(holderText(lock), 200)}</dd>
          <dt>{t.release.age}</dt>
          <dd className="number">{ageText(lock, now)}</dd>
          <dt>{t.release.store}</dt>
          <dd>
            {store?.name}
            {production && <ProductionBadge />}
          </dd>
        </dl>
        <section className={panelStyles.panel} aria-label={t.release.consequence}>
          <h3>{t.release.consequence}</h3>
          <ul className={panelStyles.points}>
            {consequences.map(sentence => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
        <Notes lock={lock} />
        {store?.readOnly && <Notice>{t.release.readOnly}</Notice>}
        {gone && <Notice>{t.release.goneWhileOpen}</Notice>}
        {changed && (
          <Notice>
            {sayChange(lock, current.lock)}{' '}
            <Button look="link" onClick={() => onLookAgain(current)}>
              {t.release.lookAgain}
            </Button>
          </Notice>
        )}
        {isBehind(status) && status.asOf !== null && <Notice>{t.release.stale(status.asOf)}</Notice>}
        <TextField
          label={t.release.reason}
          placeholder={production ? t.release.reasonNeeded : t.release.reasonHint}
          required={production}
          value={reason}
          onChange={setReason}
          maxLength={2000}
          autoFocus
        />
        {production && <TextField label={t.release.typeName(store.name)} value={typed} onChange={setTyped} />}
        <DialogButtons>
          <Button disabled={working} onClick={closeDialog}>
            {t.release.cancel}
          </Button>
          <Button look="danger" disabled={!ready || working} onClick={() => void release()}>
            {working ? t.release.working : t.release.confirm}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function sayChange(seen: Lock, now: Lock): string {
  if (seen.owner !== now.owner) return t.release.changedWhileOpen(shownText(holderText(now), 120))
  return holdersLookAlike(seen) ? t.release.alikeWhileOpen : t.release.renewedWhileOpen
}

type AnswerProps = { readonly storeId: string; readonly lock: Lock; readonly answer: Answer }

function AnswerDialog({ storeId, lock, answer }: AnswerProps) {
  const released = answer.ok && answer.value.outcome === 'released'
  return (
    <Dialog title={t.release.title} onClose={closeDialog}>
      <DialogSubject>{shownText(lock.key, 300)}</DialogSubject>
      <DialogAnswer outcome={outcomeOf(answer)}>
        {answer.ok ? sayOutcome(answer.value) : sayFailure(answer.error)}
      </DialogAnswer>
      {released && (
        <Button look="link" onClick={() => openDialog({ kind: 'hold', prefill: { storeId, key: lock.id } })}>
          {t.holds.afterRelease}
        </Button>
      )}
      <Buttons>
        {answer.ok && answer.value.outcome === 'released' && (
          <UndoButton of={answer.value.action} until={answer.value.undoUntil} />
        )}
      </Buttons>
    </Dialog>
  )
}

function outcomeOf(answer: Answer): string {
  if (answer.ok) return answer.value.outcome
  return answer.error.uncertain ? 'uncertain' : 'refused'
}

function sayFailure({ message, uncertain }: Failure): string {
  return `${uncertain ? t.release.uncertain : t.release.refused} ${sentence(message)}`
}

function sayOutcome(outcome: ReleaseOutcome): string {
  switch (outcome.outcome) {
    case 'released':
      return outcome.notified === null
        ? t.release.released
        : `${t.release.released} ${t.release.notified(outcome.notified)}`
    case 'changed':
      return t.release.changed(outcome.current && shownText(holderText(outcome.current), 120))
    case 'gone':
      return t.release.gone
  }
}

function Buttons({ children }: { readonly children?: React.ReactNode }) {
  return (
    <DialogButtons>
      {children}
      <Button look="primary" autoFocus onClick={closeDialog}>
        {t.release.close}
      </Button>
    </DialogButtons>
  )
}
