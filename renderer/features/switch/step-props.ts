import { useStore } from 'zustand'
import type { SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { switchStore } from '../../state/switch.ts'

export type StepProps = { readonly run: SwitchRun }

/** One part of what is so now. Whoever takes it is drawn anew when that part changes, and not with every look. */
export function useSwitchNow<T>(part: (now: SwitchNow) => T): T | null {
  return useStore(switchStore, ({ now }) => (now === null ? null : part(now)))
}
