import { useEffect } from 'react'
import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { closeDialog, type Dialog, inspect, openDialog, overlay } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { atLocks, focusView, show, VIEWS, viewStore } from '../../state/view.ts'
import { t } from '../../words/words.ts'
import { AcknowledgeDialog, MuteDialog } from '../alerts/AlertDialogs.tsx'
import { AlertsView } from '../alerts/AlertsView.tsx'
import { RulesDialog } from '../alerts/RulesDialog.tsx'
import { AuditDialog } from '../audit/AuditDialog.tsx'
import { HoldDialog } from '../holds/HoldDialog.tsx'
import { HoldNews } from '../holds/HoldNews.tsx'
import { HoldsView } from '../holds/HoldsView.tsx'
import { EmptyTable } from '../locks/EmptyTable.tsx'
import { Inspector } from '../locks/Inspector.tsx'
import { LockTable } from '../locks/LockTable.tsx'
import { ReleaseDialog } from '../locks/ReleaseDialog.tsx'
import { Toolbar } from '../locks/Toolbar.tsx'
import { MakingPlan } from '../plans/MakingPlan.tsx'
import { PlanSheet } from '../plans/PlanSheet.tsx'
import { PlansDialog } from '../plans/PlansDialog.tsx'
import { releaseAll } from '../plans/release-all.ts'
import { ReportDialog } from '../reports/ReportDialog.tsx'
import { StatsView } from '../stats/StatsView.tsx'
import { RemoveStoreDialog } from '../stores/RemoveStoreDialog.tsx'
import { StoreDialog } from '../stores/StoreDialog.tsx'
import { SwitchView } from '../switch/SwitchView.tsx'
import styles from './App.module.css'
import { FailedAction } from './FailedAction.tsx'
import { KeysDialog } from './KeysDialog.tsx'
import { Palette } from './Palette.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusLine } from './StatusLine.tsx'
import { UnrecognisedDialog } from './UnrecognisedDialog.tsx'

export function App() {
  const { dialog, inspected } = useStore(overlay)
  const lost = useStore(consoleStore, state => state.link === 'lost' || state.link === 'ended')
  // Dialogs speak of kinds of stores, which the console describes first.
  const isDescribed = useStore(consoleStore, state => state.info !== null)
  const view = useStore(viewStore, state => state.view)
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
        {view === 'locks' && <Locks />}
        {view === 'stats' && <StatsView />}
        {view === 'alerts' && <AlertsView />}
        {view === 'switch' && <SwitchView />}
        {view === 'holds' && <HoldsView />}
      </main>
      {inspected && <Inspector key={`${inspected.storeId} ${inspected.id}`} target={inspected} />}
      <StatusLine />
      {dialog && isDescribed && <OpenDialog dialog={dialog} />}
    </div>
  )
}

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

function OpenDialog({ dialog }: { readonly dialog: Dialog }) {
  switch (dialog.kind) {
    case 'release':
      return <ReleaseDialog target={dialog.target} />
    case 'store':
      return <StoreDialog {...dialog} />
    case 'remove-store':
      return <RemoveStoreDialog storeId={dialog.storeId} />
    case 'unrecognised':
      return <UnrecognisedDialog />
    case 'making-plan':
      return <MakingPlan />
    case 'plan':
      return <PlanSheet planId={dialog.planId} />
    case 'plans':
      return <PlansDialog />
    case 'audit':
      return <AuditDialog />
    case 'alert-rules':
      return <RulesDialog />
    case 'acknowledge':
      return <AcknowledgeDialog count={dialog.count} what={dialog.what} />
    case 'mute':
      return <MuteDialog alertId={dialog.alertId} />
    case 'hold':
      return <HoldDialog prefill={dialog.prefill} />
    case 'report':
      return <ReportDialog />
    case 'palette':
      return <Palette />
    case 'keys':
      return <KeysDialog />
  }
}

/** Keys that work wherever the focus is, except in a field. */
function onKey(event: KeyboardEvent): void {
  const { dialog, inspected } = overlay.getState()
  if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
    event.preventDefault()
    if (dialog?.kind === 'palette') closeDialog()
    else if (!dialog) openDialog({ kind: 'palette' })
    return
  }
  const { target } = event
  const typing =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  if (dialog || typing || event.metaKey || event.ctrlKey || event.altKey) return
  if (event.key === '/') {
    event.preventDefault()
    atLocks(() => document.getElementById('filter')?.focus())
  }
  if (event.key === '?') openDialog({ kind: 'keys' })
  const view = VIEWS[Number(event.key) - 1]
  if (view) {
    show(view)
    setTimeout(focusView)
  }
  // Releases the rows that are shown, so only where the table is.
  if (event.key === 'Delete' && event.shiftKey && !event.repeat && viewStore.getState().view === 'locks') {
    event.preventDefault()
    releaseAll()
  }
  if (event.key === 'Escape' && inspected) {
    inspect(null)
    focusView()
  }
}
