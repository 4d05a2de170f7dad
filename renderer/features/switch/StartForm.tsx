import { useId, useState } from 'react'
import { useStore } from 'zustand'
import type { Failure } from '../../../shared/result.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import { act, showSwitch, switchStore, underWay } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { t } from '../../words/words.ts'
import { StoreChoice } from './StoreChoice.tsx'

const QUIETS = ['30000', '60000', '300000', '900000'] as const
type Quiet = (typeof QUIETS)[number]

export function StartForm() {
  const entries = useStore(consoleStore, state => state.entries)
  const runs = useStore(switchStore, state => state.runs)
  const today = useStore(consoleStore, inUse)
  const [chosenFrom, setFrom] = useState<string | null>(null)
  const [chosenTo, setTo] = useState<string | null>(null)
  const [quiet, setQuiet] = useState<Quiet>('30000')
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const titleId = useId()
  const words = t.switch.start
  const able = entries.filter(isAble)
  const from = chosenFrom ?? today
  const others = able.filter(({ storeId }) => storeId !== from)
  const [onlyOther, ...more] = others
  // With two there is nothing to choose.
  const to = chosenTo ?? (from !== null && more.length === 0 ? (onlyOther?.storeId ?? null) : null)
  const known = underWay(runs).find(run => run.from.storeId === from && run.to.storeId === to)
  const mayBegin = from !== null && to !== null && from !== to && !working

  async function begin() {
    if (from === null || to === null) return
    setWorking(true)
    setError(null)
    const answer = await act('switch.begin', {
      fromStoreId: from,
      toStoreId: to,
      ...(known ? {} : { quietMs: Number(quiet) }),
    })
    setWorking(false)
    if (answer.ok) showSwitch(answer.value.switchId)
    else setError(answer.error)
  }

  return (
    <form
      className="switch-start"
      aria-labelledby={titleId}
      onSubmit={event => {
        event.preventDefault()
        if (mayBegin) void begin()
      }}
    >
      <h2 id={titleId}>{words.title}</h2>
      <p className="muted switch-lead">{words.text}</p>
      <div className="switch-sides">
        <StoreChoice
          label={words.from}
          entries={entries}
          chosen={from}
          why={entry => whyNot(entry, null)}
          onChoose={storeId => {
            setFrom(storeId)
            if (to === storeId) setTo(null)
          }}
        />
        <span className="switch-arrow" aria-hidden="true" />
        <StoreChoice
          label={words.to}
          entries={entries}
          chosen={to}
          why={entry => whyNot(entry, from)}
          onChoose={setTo}
        />
      </div>
      {able.length < 2 && <p className="view-notice">{words.one}</p>}
      {!known && (
        <Segments
          label={words.quiet}
          value={quiet}
          options={QUIETS.map(each => [each, words.quiets[each]] as const)}
          onChange={setQuiet}
          hint={words.quietHint}
        />
      )}
      <ErrorNotice what={words.failed} error={error} />
      <div className="switch-begin">
        <Button type="submit" look="primary" disabled={!mayBegin}>
          {known ? words.goOn : words.begin}
        </Button>
        {known && <span className="muted">{words.already}</span>}
      </div>
    </form>
  )
}

function isAble({ open, kind, problem }: StoreEntry): boolean {
  return open && problem === null && kind !== 'memory'
}

function whyNot({ storeId, open, kind, problem }: StoreEntry, from: string | null): string | null {
  const words = t.switch.start
  if (kind === 'memory') return words.embedded
  if (!open || problem !== null) return words.notOpen
  return storeId === from ? words.sameStore : null
}

/** The store that LOCK_PROVIDER names where this console was started. */
function inUse({ suggestions, entries }: ConsoleState): string | null {
  const address = suggestions.find(({ current }) => current)?.address
  return entries.find(each => each.address === address && isAble(each))?.storeId ?? null
}
