import { useDeferredValue, useMemo, useState } from 'react'
import type { PlanChange, PlanComparison } from '../../../shared/plans.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { planOrder, SHOW_ALL, type Show } from '../../state/plan-order.ts'

/** The shown locks of a plan. */
export function usePlanView(book: PlanBook, changes: ReadonlyMap<number, PlanChange> | null = null) {
  const [show, setShow] = useState<Show>(SHOW_ALL)
  const [search, setSearch] = useState('')
  const asked = useDeferredValue(search)
  const { revision } = book
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book changes in its place, and its revision tells
  const order = useMemo(() => planOrder(book, show, asked, changes), [book, show, asked, changes, revision])
  return { show, setShow, search, setSearch, order }
}

export type Compared = {
  readonly working: boolean
  readonly answer: PlanComparison | null
  readonly changes: ReadonlyMap<number, PlanChange> | null
  readonly error: Failure | null
  readonly run: () => void
}

export type PlanView = ReturnType<typeof usePlanView>

/** How the locks have changed, read on request. */
export function useComparison(book: PlanBook): Compared {
  const [state, setState] = useState<Omit<Compared, 'run'>>(NOT_COMPARED)
  const run = async () => {
    setState(before => ({ ...before, working: true, error: null }))
    const result = await ask('plans.compare', { planId: book.planId })
    if (!result.ok) return setState(before => ({ ...before, working: false, error: result.error }))
    const changes = new Map(result.value.changes.map(change => [change.n, change]))
    setState({ ...NOT_COMPARED, answer: result.value, changes })
  }
  return { ...state, run: () => void run() }
}

const NOT_COMPARED = { working: false, answer: null, changes: null, error: null }

/** Derives something from which locks are in the plan: the book changes in its place, and its shape tells. */
export function useShape<T>(book: PlanBook, derive: () => T, other: readonly unknown[]): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `other` is what else it is derived from
  return useMemo(derive, [book, book.shape, ...other])
}
