import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { listSwitches, resumeOnly, shownRun, switchStore } from '../../state/switch.ts'
import { focusView } from '../../state/view.ts'
import { RunView } from './RunView.tsx'
import { StartView } from './StartView.tsx'
import { Summary } from './Summary.tsx'

export function SwitchView() {
  const run = useStore(switchStore, shownRun)
  const known = useStore(switchStore, state => state.known)
  useEffect(() => {
    // Another console may have begun one since.
    void listSwitches()
  }, [])
  useEffect(() => {
    if (known) resumeOnly()
  }, [known])
  const shown = run?.switchId
  const before = useRef(shown)
  useEffect(() => {
    if (before.current !== shown && document.activeElement === document.body) focusView()
    before.current = shown
  }, [shown])
  if (!run) return <StartView />
  return run.ended ? <Summary run={run} ended={run.ended} /> : <RunView run={run} />
}
