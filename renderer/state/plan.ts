import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Exclusion, PlanProgress, PlanSummary } from '../../shared/plans.ts'
import type { Failure, Result } from '../../shared/result.ts'
import { t } from '../words/words.ts'
import { ask, askOrReport, client, onConnected } from './console.ts'
import { closeDialog, openDialog, overlay } from './overlay.ts'
import { PlanBook } from './plan-book.ts'

/** A plan in the making, for the dialog that waits for it. */
export type Making = {
  readonly title: string
  readonly text: string
  /** Why no plan was made. */
  readonly failed: string | null
}

export type PlansState = {
  /** Plans whose stream is open: the shown one and the running ones. */
  readonly books: ReadonlyMap<string, PlanBook>
  readonly making: Making | null
  /** Read-only stores left out of a plan when this screen requested it. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>
}

export const plans = createStore<PlansState>(() => ({ books: new Map(), making: null, leftOut: new Map() }))

const closers = new Map<string, () => void>()

/** After a reload or a lost connection, follows the running plans and the shown one again. */
onConnected(async () => {
  closers.clear()
  for (const book of plans.getState().books.values()) watch(book)
  const found = await askOrReport(t.plans.notListed, 'plans.list', {})
  for (const plan of found ?? []) if (isAtWork(plan.progress)) follow(plan)
})

export function isAtWork({ state }: Pick<PlanProgress, 'state'>): boolean {
  return state === 'running' || state === 'paused' || state === 'stopping' || state === 'checking'
}

function follow(plan: PlanSummary): PlanBook {
  const known = plans.getState().books.get(plan.planId)
  if (known) {
    known.take(plan)
    return known
  }
  const book = new PlanBook(plan.planId)
  book.take(plan)
  plans.setState(({ books }) => ({ books: new Map(books).set(plan.planId, book) }))
  watch(book)
  return book
}

function watch(book: PlanBook): void {
  book.begin()
  try {
    const close = client.open(
      'plans.watch',
      { planId: book.planId },
      event => book.apply(event),
      result => {
        closers.delete(book.planId)
        if (!result.ok) book.end(result.error)
      },
    )
    closers.set(book.planId, close)
  } catch {
    // Not connected: it is opened as soon as the console is.
  }
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
