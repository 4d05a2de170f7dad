import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { openDialog } from '../../state/overlay.ts'
import { switchStore } from '../../state/switch.ts'
import { Empty } from '../../ui/Empty.tsx'
import { sentence } from '../../ui/shown-text.ts'
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
        {error && (
          <div className="alert" role="status">
            {words.failed} {sentence(error.message)}
          </div>
        )}
        {!known && error === null ? (
          <Empty icon="again" title={words.loading} text="" />
        ) : entries.length < 2 ? (
          <Empty icon="info" title={words.start.tooFew} text={words.start.tooFewText}>
            <button
              type="button"
              className="button primary"
              onClick={() => openDialog({ kind: 'store', mode: 'add' })}
            >
              {words.start.addStore}
            </button>
          </Empty>
        ) : (
          <StartForm />
        )}
        {runs.length > 0 && <SwitchList runs={runs} />}
      </div>
    </>
  )
}
