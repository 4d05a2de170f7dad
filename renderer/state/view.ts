import { createStore } from 'zustand/vanilla'
import type { GroupBy } from '../../shared/stats.ts'
import { type Inspected, inspect } from './overlay.ts'

export const VIEWS = ['locks', 'stats', 'alerts', 'switch', 'holds'] as const
export type View = (typeof VIEWS)[number]

type ViewState = {
  readonly view: View
  /** The lock whose holders the timeline shows. */
  readonly timelineOf: Inspected | null
  /** What locks are grouped by in the chart over time. */
  readonly groupsBy: GroupBy
}

/** What the middle of the screen shows. The scope of the table narrows every view. */
export const viewStore = createStore<ViewState>(() => ({
  view: 'locks',
  timelineOf: null,
  groupsBy: 'holder',
}))

export function show(view: View): void {
  viewStore.setState({ view })
}

/** Where the inspector covers the view, it closes for the timeline. */
const OVERLAID = '(max-width: 1020px)'

export function showTimeline(timelineOf: Inspected): void {
  viewStore.setState({ view: 'stats', timelineOf })
  if (matchMedia(OVERLAID).matches) inspect(null)
}

/** Focuses the table, or the view in its place. */
export function focusView(): void {
  const place = document.getElementById('locks') ?? document.getElementById('view')
  place?.focus()
}

export function closeInspector(): void {
  inspect(null)
  focusView()
}

export function focusFilter(): void {
  document.getElementById('filter')?.focus()
}

/** Shows the table and then runs, once the page has it. */
export function atLocks(run: () => void): void {
  if (viewStore.getState().view === 'locks') run()
  else {
    show('locks')
    setTimeout(run)
  }
}
