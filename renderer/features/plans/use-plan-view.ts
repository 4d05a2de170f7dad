import { useDeferredValue, useMemo, useState } from 'react'
import { comparePlan } from '../../../shared/client.ts'
import type { PlanChange, PlanComparison } from '../../../shared/plans.ts'
import { type PlanBook, planOrder, SHOW_ALL, type Show } from '../../state/plan-book.ts'
import { openOrEnd } from '../../state/stream.ts'
import { useRequest } from '../../ui/Dialog.tsx'

/** The shown locks of a plan. */
export function usePlanView(book: PlanBook, changes: ReadonlyMap<number, PlanChange> | null = null) {
  const [show, setShow] = useState<Show>(SHOW_ALL)
  const [search, setSearch] = useState('')
  const words = useDeferredValue(search)
  const { revision } = book
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book is mutable, and its revision counts its changes
  const order = useMemo(() => planOrder(book, show, words, changes), [book, show, words, changes, revision])
  return { show, setShow, search, setSearch, order }
}

export type PlanView = ReturnType<typeof usePlanView>

/** How the locks have changed, read on request. */
export function useComparison(book: PlanBook) {
  const [answer, setAnswer] = useState<PlanComparison | null>(null)
  const request = useRequest(() => comparePlan(openOrEnd, book.planId), setAnswer)
  const changes = useMemo(() => answer && new Map(answer.changes.map(each => [each.n, each])), [answer])
  return { ...request, answer, changes }
}

export type Compared = ReturnType<typeof useComparison>

/** Derives a value from which locks the plan includes: the book is mutable, and its shape counts those changes. */
export function useShape<T>(book: PlanBook, derive: () => T, other: readonly unknown[]): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `other` is what else it is derived from
  return useMemo(derive, [book, book.shape, ...other])
}
