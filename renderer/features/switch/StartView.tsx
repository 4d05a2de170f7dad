import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { openDialog } from '../../state/overlay.ts'
import { switchStore } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import { StartForm } from './StartForm.tsx'
import { SwitchList } from './SwitchList.tsx'

/** Which two, and what was done before. */
export function StartView() {
  const entries = useStore(consoleStore, state => state.entries)
  const runs = useStore(switchStore, state => state.runs)
  const error = useStore(switchStore, state => state.error)
  const known = useStore(switchStore, state => state.known)
  const words = t.switch
  return (
    <>
      <header className="view-head">
        <h1 className="toolbar-title">{words.title}</h1>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys */}
      <div className="view-body" tabIndex={0} role="group" aria-label={words.title}>
        <ErrorNotice role="status" what={words.failed} error={error} />
        {!known && error === null ? (
          <Empty icon="again" title={words.loading} text="" />
        ) : entries.length < 2 ? (
          <Empty icon="info" title={words.start.tooFew} text={words.start.tooFewText}>
            <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
              {words.start.addStore}
            </Button>
          </Empty>
        ) : (
          <StartForm />
        )}
        {runs.length > 0 && <SwitchList runs={runs} />}
      </div>
    </>
  )
}
