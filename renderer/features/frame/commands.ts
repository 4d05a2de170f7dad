import type { StoreEntry } from '../../../shared/stores.ts'
import { COLUMNS } from '../../state/columns.ts'
import { book, consoleStore, setStoreOpen } from '../../state/console.ts'
import { openDialog, overlay } from '../../state/overlay.ts'
import { preferences, sortBy, type Theme, toggleColumn } from '../../state/preferences.ts'
import { setFilter, setScope, table, toggleSelected } from '../../state/table.ts'
import { atLocks, show, viewStore } from '../../state/view.ts'
import { t } from '../../words/words.ts'
import { inspectRow } from '../locks/LockTable.tsx'
import { choosePlanFile } from '../plans/plan-files.ts'
import { cleanUp, releaseAll } from '../plans/release-all.ts'

export type Command = { readonly label: string; readonly run: () => void }

/** The commands that make sense now. */
export function allCommands(typed: string): Command[] {
  const words = t.palette
  const { entries } = consoleStore.getState()
  return [
    ...lockCommands(),
    ...planCommands(),
    { label: words.showAll, run: () => atLocks(() => setScope(null)) },
    { label: words.showStats, run: () => show('stats') },
    { label: words.showAlerts, run: () => show('alerts') },
    { label: t.switch.command, run: () => show('switch') },
    { label: t.holds.showAll, run: () => show('holds') },
    { label: t.holds.paletteOpen, run: () => openDialog({ kind: 'hold' }) },
    { label: words.alertRules, run: () => openDialog({ kind: 'alert-rules' }) },
    ...entries.flatMap(storeCommands),
    { label: t.sidebar.add, run: () => openDialog({ kind: 'store', mode: 'add' }) },
    ...(['expired', 'endless', 'expiring', 'held'] as const).map(state => ({
      label: words.filterState(t.table.states[state]),
      run: () => atLocks(() => setFilter(`state:${state === 'endless' ? 'no-expiry' : state}`)),
    })),
    ...(table.getState().filterText === '' ? [] : [{ label: words.clearFilter, run: () => setFilter('') }]),
    {
      label: words.focusFilter,
      run: () => atLocks(() => setTimeout(() => document.getElementById('filter')?.focus())),
    },
    {
      label: words.sortAttention,
      run: () => preferences.setState({ sort: { column: 'attention', descending: false } }),
    },
    ...COLUMNS.map(({ id }) => ({ label: words.sortBy(t.table.columns[id]), run: () => sortBy(id) })),
    ...COLUMNS.filter(column => !column.fixed).map(({ id }) => ({
      label: (preferences.getState().hiddenColumns.includes(id) ? words.showColumn : words.hideColumn)(
        t.table.columns[id],
      ),
      run: () => toggleColumn(id),
    })),
    ...(['system', 'light', 'dark'] as const satisfies readonly Theme[]).map(theme => ({
      label: words.theme(words.themes[theme]),
      run: () => preferences.setState({ theme }),
    })),
    { label: words.keys, run: () => openDialog({ kind: 'keys' }) },
    ...(typed === '' ? [] : [{ label: words.filterBy(typed), run: () => atLocks(() => setFilter(typed)) }]),
  ]
}

function lockCommands(): Command[] {
  const { active, selected, order } = table.getState()
  const inspected = overlay.getState().inspected
  const row = active === null || !isShown() || !order.includes(active) ? undefined : book.rows.get(active)
  const target = row ? { storeId: row.storeId, id: row.lock.id } : inspected
  return [
    ...(row ? [{ label: t.palette.inspect, run: () => inspectRow(row.rowId) }] : []),
    ...(target
      ? [
          { label: t.palette.release, run: () => openDialog({ kind: 'release', target }) },
          {
            label: t.holds.paletteThis,
            run: () => openDialog({ kind: 'hold', prefill: { storeId: target.storeId, key: target.id } }),
          },
        ]
      : []),
    ...(row
      ? [
          {
            label: t.palette.copyKey,
            run: () => void navigator.clipboard.writeText(row.lock.key).catch(() => {}),
          },
          { label: t.palette.select, run: () => toggleSelected(row.rowId) },
        ]
      : []),
    ...(isShown() && selected.size > 0
      ? [{ label: t.palette.clearSelection, run: () => table.setState({ selected: new Set() }) }]
      : []),
  ]
}

/** Commands act on rows only while the table is shown. */
function isShown(): boolean {
  return viewStore.getState().view === 'locks'
}

function planCommands(): Command[] {
  const { selected, matching } = table.getState()
  return [
    ...(isShown() && selected.size > 0
      ? [{ label: t.plans.releaseSelected(selected.size), run: releaseAll }]
      : isShown() && matching > 0
        ? [{ label: t.plans.releaseAll, run: releaseAll }]
        : []),
    { label: t.plans.cleanUp, run: cleanUp },
    { label: t.plans.openPlans, run: () => openDialog({ kind: 'plans' }) },
    { label: t.plans.openFile, run: choosePlanFile },
    { label: t.audit.open, run: () => openDialog({ kind: 'audit' }) },
    { label: t.report.open, run: () => openDialog({ kind: 'report' }) },
  ]
}

function storeCommands({ storeId, name, open }: StoreEntry): Command[] {
  const words = t.palette
  return [
    ...(open ? [{ label: words.showStore(name), run: () => atLocks(() => setScope(storeId)) }] : []),
    {
      label: open ? words.closeStore(name) : words.openStore(name),
      run: () => setStoreOpen({ storeId, name }, !open),
    },
    { label: words.editStore(name), run: () => openDialog({ kind: 'store', mode: 'edit', storeId }) },
    {
      label: words.duplicateStore(name),
      run: () => openDialog({ kind: 'store', mode: 'duplicate', storeId }),
    },
    { label: words.removeStore(name), run: () => openDialog({ kind: 'remove-store', storeId }) },
  ]
}

/** Whether every typed word occurs in the label. */
export function fits(label: string, typed: string): boolean {
  const text = label.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}
