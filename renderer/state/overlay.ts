import { createStore } from 'zustand/vanilla'
import type { Input } from '../../shared/contract.ts'

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
