import { useStore } from 'zustand'
import { isAtWork, openPlan, plans, useBook } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import chipStyles from '../../ui/Chip.module.css'
import { t } from '../../words/words.ts'

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
    <button
      type="button"
      className={chipStyles.chip}
      data-tone={troubles.length > 0 || counts.failed > 0 ? 'danger' : 'accent'}
      onClick={() => openPlan(plan)}
    >
      {state === 'running' ? what : t.run.chipState(what, t.run.states[state])}
    </button>
  )
}
