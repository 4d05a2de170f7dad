import { createStore } from 'zustand/vanilla'
import type { Input } from '../../shared/contract.ts'
import type { GroupBy } from '../../shared/stats.ts'

export type Inspected = { readonly storeId: string; readonly id: string }

export type StoreDialogMode =
  | { readonly mode: 'add'; readonly suggestionId?: string }
  | { readonly mode: 'edit' | 'duplicate'; readonly storeId: string }

/** Some alerts, or all of a rule in a store; the count is for the title. */
export type Acknowledgement = {
  readonly count: number
  readonly what: Pick<Input<'alerts.acknowledge'>, 'alertIds' | 'group'>
}

/** The lock to hold, as far as it is chosen already. */
export type HoldPrefill = { readonly storeId: string; readonly key: string; readonly format?: string }

/** The open dialog; there is one at a time. */
export type Dialog =
  | { readonly kind: 'release'; readonly target: Inspected }
  | ({ readonly kind: 'store' } & StoreDialogMode)
  | { readonly kind: 'remove-store'; readonly storeId: string }
  | { readonly kind: 'unrecognised' }
  | { readonly kind: 'making-plan' }
  | { readonly kind: 'plan'; readonly planId: string }
  | { readonly kind: 'plans' }
  | { readonly kind: 'audit' }
  | { readonly kind: 'alert-rules' }
  | ({ readonly kind: 'acknowledge' } & Acknowledgement)
  | { readonly kind: 'mute'; readonly alertId: string }
  | { readonly kind: 'hold'; readonly prefill?: HoldPrefill }
  | { readonly kind: 'report' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'keys' }

type Overlay = { readonly dialog: Dialog | null; readonly inspected: Inspected | null }

export const overlay = createStore<Overlay>(() => ({ dialog: null, inspected: null }))

export function openDialog(dialog: Dialog): void {
  overlay.setState({ dialog })
}

export function closeDialog(): void {
  overlay.setState({ dialog: null })
}

export function inspect(inspected: Inspected | null): void {
  overlay.setState({ inspected })
}

export const VIEWS = ['locks', 'stats', 'alerts', 'switch', 'holds'] as const
export type View = (typeof VIEWS)[number]

type ViewState = {
  readonly view: View
  /** The lock whose holders the timeline shows. */
  readonly timelineOf: Inspected | null
  /** What locks are grouped by in the chart over time. */
  readonly groupsBy: GroupBy
}

/** The view in the middle of the screen. The table's scope narrows every view. */
export const viewStore = createStore<ViewState>(() => ({
  view: 'locks',
  timelineOf: null,
  groupsBy: 'holder',
}))

export function show(view: View): void {
  viewStore.setState({ view })
}

/** On screens this narrow the inspector covers the view, so it closes for the timeline. */
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
