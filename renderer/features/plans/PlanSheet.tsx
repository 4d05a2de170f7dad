import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { PlanSummary } from '../../../shared/plans.ts'
import type { Failure } from '../../../shared/result.ts'
import { consoleStore } from '../../state/console.ts'
import { isAtWork, leavePlan, openPlan, plans, useBook } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { closeDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Chip } from '../../ui/Chip.tsx'
import { Dialog, DialogButtons, DialogEnd } from '../../ui/Dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { shownText, t } from '../../words/words.ts'
import { PlanConfirm } from './PlanConfirm.tsx'
import { PlanReview } from './PlanReview.tsx'
import { PlanResult, PlanRun } from './PlanRun.tsx'
import styles from './Plans.module.css'

/** One plan over the whole console: its review, confirmation, run or result, by its state in core. */
export function PlanSheet({ planId }: { readonly planId: string }) {
  const book = useStore(plans, state => state.books.get(planId))
  if (book) return <OpenSheet key={planId} book={book} />
  return (
    <Dialog title={t.plans.all.title} onClose={leavePlan}>
      <p>{t.plans.lost}</p>
      <DialogEnd onClose={leavePlan} />
    </Dialog>
  )
}

function OpenSheet({ book }: { readonly book: PlanBook }) {
  useBook(book)
  const [confirming, setConfirming] = useState(false)
  const plan = book.plan
  const state = plan?.progress.state
  const working = plan !== null && isAtWork(plan.progress)
  // The confirmation is over once the run starts, also after its end.
  useEffect(() => {
    if (working) setConfirming(false)
  }, [working])
  if (!plan) return null
  const close = confirming ? () => setConfirming(false) : leavePlan
  return (
    <Dialog title={t.plans.title[plan.kind](plan.progress.total)} onClose={close} size="sheet">
      <Origin plan={plan} />
      <Ended error={book.ended} />
      {!book.loaded && (
        <p className="muted" role="status">
          {t.plans.loaded(book.entries.length, plan.count)}
        </p>
      )}
      {confirming ? (
        <PlanConfirm book={book} plan={plan} onBack={() => setConfirming(false)} />
      ) : working ? (
        <PlanRun book={book} plan={plan} />
      ) : state === 'ready' ? (
        <PlanReview book={book} plan={plan} onNext={() => setConfirming(true)} />
      ) : (
        <PlanResult book={book} plan={plan} onResume={() => setConfirming(true)} />
      )}
    </Dialog>
  )
}

/** The origin of the plan, in one line. */
function Origin({ plan }: { readonly plan: PlanSummary }) {
  const leftOut = useStore(plans, state => state.leftOut.get(plan.planId))
  const { user, host } = plan.createdBy
  return (
    <div className={`${styles.origin} muted`}>
      <span>{t.plans.madeBy(shownText(user, 60), shownText(host, 60), plan.createdAt)}</span>
      {plan.maker !== null && <span>{t.plans.maker(shownText(plan.maker, 60))}</span>}
      <span>{t.plans.ofStores(plan.stores.length)}</span>
      <span className="mono">{shownText(plan.planId, 64)}</span>
      {plan.filter !== '' && <span className="mono">{t.plans.filteredBy(shownText(plan.filter, 120))}</span>}
      {plan.undoes !== null && <span>{t.undo.undoes}</span>}
      {leftOut && <span>{t.plans.leftOut(leftOut.map(name => shownText(name, 60)).join(', '))}</span>}
    </div>
  )
}

function Ended({ error }: { readonly error: Failure | null }) {
  const link = useStore(consoleStore, state => state.link)
  if (link === 'up') return <ErrorNotice what={t.plans.lost} error={error} />
  return error && <Notice>{t.status.lost}</Notice>
}

/** Shown while a plan is being made, or with the reason why it was not. */
export function MakingPlan() {
  const making = useStore(plans, state => state.making)
  const words = t.plans.making
  if (!making) return null
  return (
    <Dialog title={making.title}>
      {making.failed === null ? (
        <p role="status">{making.text}</p>
      ) : (
        <ErrorNotice what={words.failed} error={making.failed} />
      )}
      <DialogButtons>
        <Button autoFocus onClick={closeDialog}>
          {making.failed === null ? t.cancel : t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

/** Running plans, in the status line of every view. */
export function PlanChips() {
  const books = useStore(plans, state => state.books)
  return [...books.values()].map(book => <PlanChip key={book.planId} book={book} />)
}

function PlanChip({ book }: { readonly book: PlanBook }) {
  useBook(book)
  const plan = book.plan
  if (!plan || !isAtWork(plan.progress)) return null
  const { counts, total, state, troubles } = plan.progress
  const what = t.run.chip[plan.kind](t.run.of(total - counts.pending, total))
  return (
    <Chip
      tone={troubles.length > 0 || counts.failed > 0 ? 'danger' : 'accent'}
      onClick={() => openPlan(plan)}
    >
      {state === 'running' ? what : t.run.chipState(what, t.run.states[state])}
    </Chip>
  )
}
