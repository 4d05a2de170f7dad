import { createStore } from 'zustand/vanilla'
import type { GroupBy } from '../../shared/stats.ts'
import { type Inspected, inspect } from './overlay.ts'

export const VIEWS = ['locks', 'stats', 'alerts', 'switch', 'holds'] as const
export type View = (typeof VIEWS)[number]

type ViewState = {
  readonly view: View
  /** The lock whose holders are drawn over time, once one was chosen. */
  readonly timelineOf: Inspected | null
  /** What locks are counted by, over time. */
  readonly groupsBy: GroupBy
}

/** What the middle of the screen shows. The store that was chosen at the left narrows each of them. */
export const viewStore = createStore<ViewState>(() => ({
  view: 'locks',
  timelineOf: null,
  groupsBy: 'holder',
}))

export function show(view: View): void {
  viewStore.setState({ view })
}

/** Where the inspector lies over the middle of the screen, it gives way to what was asked for. */
const OVERLAID = '(max-width: 1020px)'

export function showTimeline(timelineOf: Inspected): void {
  viewStore.setState({ view: 'stats', timelineOf })
  if (matchMedia(OVERLAID).matches) inspect(null)
}

/** What takes the keys when nothing else does: the table, or whatever stands in its place. */
export function focusView(): void {
  const place = document.getElementById('locks') ?? document.getElementById('view')
  place?.focus()
}

/** Shows the table first, for what only makes sense there. The page has it a moment later. */
export function atLocks(run: () => void): void {
  if (viewStore.getState().view === 'locks') run()
  else {
    show('locks')
    setTimeout(run)
  }
}
