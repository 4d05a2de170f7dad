import { type ComponentType, useEffect } from 'react'
import { useStore } from 'zustand'
import { consoleStore, dismissFailed } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import {
  atLocks,
  closeDialog,
  closeInspector,
  type Dialog,
  focusFilter,
  focusView,
  openDialog,
  overlay,
  show,
  VIEWS,
  viewStore,
} from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, t } from '../../words/words.ts'
import { AcknowledgeDialog, MuteDialog } from '../alerts/AlertDialogs.tsx'
import { AlertsView } from '../alerts/AlertsView.tsx'
import { RulesDialog } from '../alerts/RulesDialog.tsx'
import { AuditDialog } from '../audit/AuditDialog.tsx'
import { HoldDialog } from '../holds/HoldDialog.tsx'
import { HoldNews, HoldsView } from '../holds/HoldsView.tsx'
import { EmptyTable } from '../locks/EmptyTable.tsx'
import { Inspector } from '../locks/Inspector.tsx'
import { LockTable } from '../locks/LockTable.tsx'
import { ReleaseDialog } from '../locks/ReleaseDialog.tsx'
import { Toolbar } from '../locks/Toolbar.tsx'
import { MakingPlan, PlanSheet } from '../plans/PlanSheet.tsx'
import { PlansDialog } from '../plans/PlansDialog.tsx'
import { releaseAll } from '../plans/release-all.ts'
import { ReportDialog } from '../reports/ReportDialog.tsx'
import { StatsView } from '../stats/StatsView.tsx'
import { RemoveStoreDialog, StoreDialog } from '../stores/StoreDialog.tsx'
import { SwitchView } from '../switch/SwitchView.tsx'
import styles from './App.module.css'
import failedStyles from './FailedAction.module.css'
import { KeysDialog } from './KeysDialog.tsx'
import { NoSession } from './NoSession.tsx'
import { Palette } from './Palette.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusLine } from './StatusLine.tsx'
import { UnrecognisedDialog } from './UnrecognisedDialog.tsx'

export function App() {
  const isEnded = useStore(consoleStore, state => state.link === 'ended')
  return isEnded ? <NoSession /> : <Frame />
}

function Frame() {
  const { dialog, inspected } = useStore(overlay)
  const lost = useStore(consoleStore, state => state.link === 'lost')
  // Dialogs show kinds of stores, which the console describes first.
  const isDescribed = useStore(consoleStore, state => state.info !== null)
  const view = useStore(viewStore, state => state.view)
  const Shown = VIEW[view]
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div
      className={styles.app}
      data-inspecting={inspected !== null || undefined}
      data-lost={lost || undefined}
    >
      <Sidebar />
      <main id="view" tabIndex={-1} className={styles.main} aria-label={t.regions.main[view]}>
        <HoldNews />
        <FailedAction />
        <Shown />
      </main>
      {inspected && <Inspector key={`${inspected.storeId} ${inspected.id}`} target={inspected} />}
      <StatusLine />
      {dialog && isDescribed && <OpenDialog dialog={dialog} />}
    </div>
  )
}

const VIEW = { locks: Locks, stats: StatsView, alerts: AlertsView, switch: SwitchView, holds: HoldsView }

function Locks() {
  const empty = useStore(table, state => state.order.length === 0)
  return (
    <>
      <Toolbar />
      <LockTable />
      {empty && (
        <div className={styles.overTable}>
          <EmptyTable />
        </div>
      )}
    </>
  )
}

/** An open dialog's properties are those of its component. */
const DIALOGS: { readonly [K in Dialog['kind']]: ComponentType<Extract<Dialog, { kind: K }>> } = {
  release: ReleaseDialog,
  store: StoreDialog,
  'remove-store': RemoveStoreDialog,
  unrecognised: UnrecognisedDialog,
  'making-plan': MakingPlan,
  plan: PlanSheet,
  plans: PlansDialog,
  audit: AuditDialog,
  'alert-rules': RulesDialog,
  acknowledge: AcknowledgeDialog,
  mute: MuteDialog,
  hold: HoldDialog,
  report: ReportDialog,
  palette: Palette,
  keys: KeysDialog,
}

function OpenDialog({ dialog }: { readonly dialog: Dialog }) {
  const Kind = DIALOGS[dialog.kind] as ComponentType<Dialog>
  return <Kind key={JSON.stringify(dialog)} {...dialog} />
}

/** Keys that work wherever the focus is, except in a field. */
function onKey(event: KeyboardEvent): void {
  const { key, target, metaKey, ctrlKey, altKey, shiftKey } = event
  const { dialog, inspected } = overlay.getState()
  if (key.toLowerCase() === 'k' && (metaKey || ctrlKey)) {
    event.preventDefault()
    if (dialog?.kind === 'palette') closeDialog()
    else if (!dialog) openDialog({ kind: 'palette' })
    return
  }
  const typing = target instanceof Element && target.matches('input, select, textarea')
  if (dialog || typing || metaKey || ctrlKey || altKey) return
  if (key === '/') {
    event.preventDefault()
    atLocks(focusFilter)
  }
  if (key === '?') openDialog({ kind: 'keys' })
  const view = VIEWS[Number(key) - 1]
  if (view) {
    show(view)
    setTimeout(focusView)
  }
  // Releases the rows that are shown, so only where the table is.
  if (key === 'Delete' && shiftKey && !event.repeat && viewStore.getState().view === 'locks') {
    event.preventDefault()
    releaseAll()
  }
  if (key === 'Escape' && inspected) closeInspector()
}

/** Above the view: the error of an action that cannot show it itself. */
function FailedAction() {
  const failed = useStore(consoleStore, state => state.failed)
  return (
    <div role="alert" className={failedStyles.bar}>
      {failed && (
        <>
          <Icon name="alert" />
          <span>
            {failed.what} {sentence(failed.error.message)}
          </span>
          <Button look="link" onClick={dismissFailed}>
            {t.dismiss}
          </Button>
        </>
      )}
    </div>
  )
}
