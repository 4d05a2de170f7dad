import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Exclusion, PlanProgress, PlanSummary } from '../../shared/plans.ts'
import type { Failure, Result } from '../../shared/result.ts'
import { t } from '../words/words.ts'
import { ask, askOrReport, onConnected } from './console.ts'
import { PlanBook } from './plan-book.ts'
import { keepOpen } from './stream.ts'
import { closeDialog, openDialog, overlay } from './view.ts'

const INITIAL = {
  /** Plans whose stream is open: the shown one and the running ones. */
  books: new Map() as ReadonlyMap<string, PlanBook>,
  /** A plan in the making, for the dialog that waits for it. `failed`: why no plan was made. */
  making: null as { readonly title: string; readonly text: string; readonly failed: string | null } | null,
  /** Read-only stores left out of a plan when this screen requested it. */
  leftOut: new Map() as ReadonlyMap<string, readonly string[]>,
}

export const plans = createStore<Readonly<typeof INITIAL>>(() => INITIAL)

const closers = new Map<string, () => void>()

/** After a reload or a lost connection, follows the running plans. */
onConnected(async () => {
  const found = await askOrReport(t.plans.notListed, 'plans.list', {})
  for (const plan of found ?? []) if (isAtWork(plan.progress)) follow(plan)
})

export function isAtWork({ state }: Pick<PlanProgress, 'state'>): boolean {
  return state === 'running' || state === 'paused' || state === 'stopping' || state === 'checking'
}

function follow(plan: PlanSummary): void {
  const known = plans.getState().books.get(plan.planId)
  const book = known ?? new PlanBook(plan.planId)
  book.take(plan)
  if (known) return
  plans.setState(({ books }) => ({ books: new Map(books).set(plan.planId, book) }))
  const close = keepOpen(
    'plans.watch',
    { planId: plan.planId },
    {
      onOpen: () => book.begin(),
      onEvent: event => book.apply(event),
      onEnd: error => error && book.end(error),
    },
  )
  closers.set(plan.planId, close)
}

export function openPlan(plan: PlanSummary): void {
  follow(plan)
  openDialog({ kind: 'plan', planId: plan.planId })
}

/** Closes the sheet. A running plan is still followed. */
export function leavePlan(): void {
  closeDialog()
  const kept = new Map(plans.getState().books)
  for (const [planId, book] of kept) {
    if (book.plan && isAtWork(book.plan.progress)) continue
    closers.get(planId)?.()
    closers.delete(planId)
    kept.delete(planId)
  }
  plans.setState({ books: kept })
}

/** Answers to requests before the latest are not shown. */
let asked = 0

/** Waits for a plan in a dialog. A new plan is removed if the dialog was closed meanwhile. */
export async function makePlan(
  title: string,
  text: string,
  make: () => Promise<Result<PlanSummary>>,
  { leftOut = [], isNew = true }: { readonly leftOut?: readonly string[]; readonly isNew?: boolean } = {},
): Promise<void> {
  const own = ++asked
  plans.setState({ making: { title, text, failed: null } })
  openDialog({ kind: 'making-plan' })
  const answer = await make()
  if (own !== asked || overlay.getState().dialog?.kind !== 'making-plan') {
    if (answer.ok && isNew)
      void askOrReport(t.plans.notRemoved, 'plans.remove', { planId: answer.value.planId })
    return
  }
  if (!answer.ok) {
    sayNoPlan(title, answer.error.message)
    return
  }
  const { planId } = answer.value
  if (leftOut.length > 0) plans.setState(state => ({ leftOut: new Map(state.leftOut).set(planId, leftOut) }))
  openPlan(answer.value)
}

export function sayNoPlan(title: string, failed: string): void {
  asked++
  plans.setState({ making: { title, text: '', failed } })
  openDialog({ kind: 'making-plan' })
}

export function undo(of: string): void {
  void makePlan(t.plans.making.undoTitle, t.plans.making.undoing, () => ask('plans.undo', { of }))
}

/** Exclusions per frame, which has a size limit. */
const EXCLUSIONS_AT_ONCE = 10_000

/** The screen shows an exclusion only once core has confirmed it. */
export async function exclude(
  book: PlanBook,
  exclusions: readonly Exclusion[],
  excluded: boolean,
): Promise<Failure | null> {
  for (let from = 0; from < exclusions.length; from += EXCLUSIONS_AT_ONCE) {
    const answer = await ask('plans.exclude', {
      planId: book.planId,
      exclusions: exclusions.slice(from, from + EXCLUSIONS_AT_ONCE),
      excluded,
    })
    if (!answer.ok) return answer.error
    book.take(answer.value)
  }
  return null
}

/** Renders again with every change of the plan. Returns the number of changes. */
export function useBook(book: PlanBook): number {
  return useStore(book.changes)
}
