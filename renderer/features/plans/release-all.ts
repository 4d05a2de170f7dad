import { parseFilter } from '../../../shared/filter.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { ask, book, consoleStore } from '../../state/console.ts'
import { makePlan, sayNoPlan } from '../../state/plan.ts'
import { table } from '../../state/table.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** Makes a plan for the selected locks exactly as shown; without a selection, for all shown locks. */
export function releaseAll(): void {
  const { selected, scope, filterText } = table.getState()
  if (selected.size > 0) releaseSelected(selected)
  else releaseFiltered(scope, filterText)
}

/** Makes a plan for the locks that match a filter in one store, or in all open stores. */
export function releaseFiltered(scope: string | null, filter: string): void {
  const words = t.plans.making
  const { problems } = parseFilter(filter)
  if (problems.length > 0) {
    sayNoPlan(words.title, words.filterUnclear(problems.map(({ text }) => shownText(text, 60)).join(', ')))
    return
  }
  const open = consoleStore
    .getState()
    .entries.filter(each => each.open && (scope === null || each.storeId === scope))
  const { may, mayNot } = apart(open)
  if (may.length === 0) {
    sayNoPlan(words.title, mayNot.length === 0 ? words.nothing : words.readOnly(names(mayNot)))
    return
  }
  const text = filter.trim()
  void makePlan(
    words.title,
    words.working,
    () =>
      ask('plans.create', {
        storeIds: may.map(each => each.storeId),
        ...(text === '' ? {} : { filter: text }),
      }),
    { leftOut: mayNot.map(each => each.name) },
  )
}

export function cleanUp(): void {
  releaseFiltered(table.getState().scope, 'state:expired')
}

function releaseSelected(selected: ReadonlySet<string>): void {
  const words = t.plans.making
  const rows = [...selected].flatMap(rowId => {
    const row = book.rows.get(rowId)
    return row && row.change !== 'gone' ? [row] : []
  })
  const storeIds = new Set(rows.map(row => row.storeId))
  const { may, mayNot } = apart(consoleStore.getState().entries.filter(each => storeIds.has(each.storeId)))
  if (may.length === 0) {
    sayNoPlan(words.title, mayNot.length === 0 ? words.nothing : words.readOnly(names(mayNot)))
    return
  }
  const allowed = new Set(may.map(each => each.storeId))
  const picks = rows
    .filter(row => allowed.has(row.storeId))
    .map(({ storeId, lock }) => ({ storeId, id: lock.id, fence: lock.fence }))
  void makePlan(words.title, words.working, () => ask('plans.create', { storeIds: [...allowed], picks }), {
    leftOut: mayNot.map(each => each.name),
  })
}

function apart(entries: readonly StoreEntry[]): { may: StoreEntry[]; mayNot: StoreEntry[] } {
  return { may: entries.filter(each => !each.readOnly), mayNot: entries.filter(each => each.readOnly) }
}

function names(entries: readonly StoreEntry[]): string {
  return entries.map(each => shownText(each.name, 60)).join(', ')
}
