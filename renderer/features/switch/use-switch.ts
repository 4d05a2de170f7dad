import { useState } from 'react'
import { useStore } from 'zustand'
import type { Failure, Result } from '../../../shared/result.ts'
import type { SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { switchStore } from '../../state/switch.ts'

export type StepProps = { readonly run: SwitchRun }

/** One part of the current state. A component that uses it renders again when that part changes, not with every poll. */
export function useSwitchNow<T>(part: (now: SwitchNow) => T): T | null {
  return useStore(switchStore, ({ now }) => (now === null ? null : part(now)))
}

/** Sends requests to core one at a time, and keeps the error of the last one. */
export function useSend() {
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  async function send<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    setWorking(true)
    setError(null)
    const answer = await work()
    setWorking(false)
    if (!answer.ok) setError(answer.error)
    return answer
  }
  return { working, error, send }
}
