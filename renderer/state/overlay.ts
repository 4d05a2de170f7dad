import { createStore } from 'zustand/vanilla'
import type { Input } from '../../shared/contract.ts'

export type Inspected = { readonly storeId: string; readonly id: string }

export type StoreDialogMode =
  | { readonly mode: 'add'; readonly suggestionId?: string }
  | { readonly mode: 'edit' | 'duplicate'; readonly storeId: string }

/** Some alerts, or all of a rule in a store; how many that are is for the title. */
export type Acknowledging = {
  readonly count: number
  readonly what: Pick<Input<'alerts.acknowledge'>, 'alertIds' | 'group'>
}

/** A lock that is to be held, as far as it is known already. */
export type HoldPrefill = { readonly storeId: string; readonly key: string; readonly format?: string }

/** What lies over the table. One dialog at a time. */
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
  | ({ readonly kind: 'acknowledge' } & Acknowledging)
  | { readonly kind: 'mute'; readonly alertId: string }
  | { readonly kind: 'hold'; readonly prefill?: HoldPrefill }
  | { readonly kind: 'report' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'keys' }

export type Overlay = { readonly dialog: Dialog | null; readonly inspected: Inspected | null }

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
