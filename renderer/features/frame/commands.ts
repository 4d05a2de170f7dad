import type { StoreEntry } from '../../../shared/stores.ts'
import { COLUMNS } from '../../state/columns.ts'
import { book, consoleStore, hasSession, leaveSession, setStoreOpen } from '../../state/console.ts'
import { preferences, sortBy, THEMES, toggleColumn } from '../../state/preferences.ts'
import { inspectRow, setFilter, setScope, table, toggleSelected } from '../../state/table.ts'
import { atLocks, focusFilter, openDialog, overlay, show, viewStore } from '../../state/view.ts'
import { t } from '../../words/words.ts'
import { filterOf } from '../locks/lock-face.ts'
import { choosePlanFile } from '../plans/plan-files.ts'
import { cleanUp, releaseAll } from '../plans/release-all.ts'

export type Command = { readonly label: string; readonly run: () => void }

/** The commands that make sense now. */
export function* allCommands(typed: string): Iterable<Command> {
  const words = t.palette
  const { entries } = consoleStore.getState()
  const { hiddenColumns } = preferences.getState()
  yield* lockCommands()
  yield* planCommands()
  yield { label: words.showAll, run: () => atLocks(() => setScope(null)) }
  yield { label: words.showStats, run: () => show('stats') }
  yield { label: words.showAlerts, run: () => show('alerts') }
  yield { label: t.switch.command, run: () => show('switch') }
  yield { label: t.holds.showAll, run: () => show('holds') }
  yield { label: t.holds.paletteOpen, run: () => openDialog({ kind: 'hold' }) }
  yield { label: words.alertRules, run: () => openDialog({ kind: 'alert-rules' }) }
  for (const entry of entries) yield* storeCommands(entry)
  yield { label: t.sidebar.add, run: () => openDialog({ kind: 'store', mode: 'add' }) }
  for (const state of ['expired', 'endless', 'expiring', 'held'] as const)
    yield {
      label: words.filterState(t.table.states[state]),
      run: () => atLocks(() => setFilter(filterOf(state))),
    }
  if (table.getState().filterText !== '') yield { label: words.clearFilter, run: () => setFilter('') }
  yield { label: words.focusFilter, run: () => atLocks(() => setTimeout(focusFilter)) }
  yield {
    label: words.sortAttention,
    run: () => preferences.setState({ sort: { column: 'attention', descending: false } }),
  }
  for (const { id } of COLUMNS) yield { label: words.sortBy(t.table.columns[id]), run: () => sortBy(id) }
  for (const { id } of COLUMNS.filter(column => !column.fixed)) {
    const label = hiddenColumns.includes(id) ? words.showColumn : words.hideColumn
    yield { label: label(t.table.columns[id]), run: () => toggleColumn(id) }
  }
  for (const theme of THEMES)
    yield { label: words.theme(words.themes[theme]), run: () => preferences.setState({ theme }) }
  yield { label: words.keys, run: () => openDialog({ kind: 'keys' }) }
  if (hasSession(consoleStore.getState())) yield { label: t.session.end, run: () => void leaveSession() }
  if (typed !== '') yield { label: words.filterBy(typed), run: () => atLocks(() => setFilter(typed)) }
}

function* lockCommands(): Iterable<Command> {
  const words = t.palette
  const { active, selected, order } = table.getState()
  const row = active === null || !isShown() || !order.includes(active) ? undefined : book.rows.get(active)
  const target = row ? { storeId: row.storeId, id: row.lock.id } : overlay.getState().inspected
  if (row) yield { label: words.inspect, run: () => inspectRow(row.rowId) }
  if (target) {
    const prefill = { storeId: target.storeId, key: target.id }
    yield { label: words.release, run: () => openDialog({ kind: 'release', target }) }
    yield { label: t.holds.paletteThis, run: () => openDialog({ kind: 'hold', prefill }) }
  }
  if (row) {
    const { key } = row.lock
    yield { label: words.copyKey, run: () => void navigator.clipboard.writeText(key).catch(() => {}) }
    yield { label: words.select, run: () => toggleSelected(row.rowId) }
  }
  if (isShown() && selected.size > 0)
    yield { label: words.clearSelection, run: () => table.setState({ selected: new Set() }) }
}

/** Commands act on rows only while the table is shown. */
function isShown(): boolean {
  return viewStore.getState().view === 'locks'
}

function* planCommands(): Iterable<Command> {
  const words = t.plans
  const { selected, matching } = table.getState()
  if (isShown() && selected.size > 0) yield { label: words.releaseSelected(selected.size), run: releaseAll }
  else if (isShown() && matching > 0) yield { label: words.releaseAll, run: releaseAll }
  yield { label: words.cleanUp, run: cleanUp }
  yield { label: words.openPlans, run: () => openDialog({ kind: 'plans' }) }
  yield { label: words.openFile, run: choosePlanFile }
  yield { label: t.audit.open, run: () => openDialog({ kind: 'audit' }) }
  yield { label: t.report.open, run: () => openDialog({ kind: 'report' }) }
}

function* storeCommands(entry: StoreEntry): Iterable<Command> {
  const words = t.palette
  const { storeId, name, open } = entry
  if (open) yield { label: words.showStore(name), run: () => atLocks(() => setScope(storeId)) }
  yield { label: (open ? words.closeStore : words.openStore)(name), run: () => setStoreOpen(entry, !open) }
  yield { label: words.editStore(name), run: () => openDialog({ kind: 'store', mode: 'edit', storeId }) }
  yield {
    label: words.duplicateStore(name),
    run: () => openDialog({ kind: 'store', mode: 'duplicate', storeId }),
  }
  yield { label: words.removeStore(name), run: () => openDialog({ kind: 'remove-store', storeId }) }
}

/** Whether every typed word occurs in the label. */
export function fits(label: string, typed: string): boolean {
  const text = label.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}
