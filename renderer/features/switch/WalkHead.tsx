import { useState } from 'react'
import { useStore } from 'zustand'
import type { Side, SwitchRun } from '../../../shared/switch.ts'
import { consoleStore } from '../../state/console.ts'
import { showSwitch } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { AbandonDialog } from './AbandonDialog.tsx'

export function WalkHead({ run }: { readonly run: SwitchRun }) {
  const [abandoning, setAbandoning] = useState(false)
  const words = t.switch
  return (
    <header className="view-head">
      <h1 className="toolbar-title">{words.title}</h1>
      <p className="switch-between">
        <SideName side={run.from} />
        <span className="switch-to" aria-hidden="true">
          →
        </span>
        <SideName side={run.to} />
      </p>
      <span className="view-end switch-head-end">
        <span className="faint switch-begun">{words.begunBy(run.begunAt, shownText(run.by, 40))}</span>
        <Button look="quiet" onClick={() => showSwitch(null)}>
          {words.list.all}
        </Button>
        {run.ended === null && <Button onClick={() => setAbandoning(true)}>{words.abandon}</Button>}
      </span>
      {abandoning && <AbandonDialog run={run} onClose={() => setAbandoning(false)} />}
    </header>
  )
}

export function SideName({ side }: { readonly side: Side }) {
  const colour = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === side.storeId)?.colour,
  )
  return (
    <span className="switch-side" title={shownText(side.address, 200)}>
      <span className="dot" data-colour={colour} />
      <strong className="clip">{shownText(side.storeName, 60)}</strong>
      <span className="muted">{t.storeKinds[side.kind]}</span>
    </span>
  )
}
