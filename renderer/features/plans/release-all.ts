import type { Input } from '../../../shared/contract.ts'
import { parseFilter } from '../../../shared/filter.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { ask, book, consoleStore } from '../../state/console.ts'
import { makePlan, sayNoPlan } from '../../state/plan.ts'
import { table } from '../../state/table.ts'
import { shownText, t } from '../../words/words.ts'

/** Makes a plan for the selected locks exactly as shown; without a selection, for all shown locks. */
export function releaseAll(): void {
  const { selected, scope, filterText } = table.getState()
  if (selected.size === 0) {
    releaseFiltered(scope, filterText)
    return
  }
  const rows = [...book.rows.values()].filter(({ rowId, change }) => selected.has(rowId) && change !== 'gone')
  releaseIn(
    each => rows.some(row => row.storeId === each.storeId),
    storeIds => ({
      picks: rows
        .filter(row => storeIds.includes(row.storeId))
        .map(({ storeId, lock }) => ({ storeId, id: lock.id, fence: lock.fence })),
    }),
  )
}

export function cleanUp(): void {
  releaseFiltered(table.getState().scope, 'state:expired')
}

/** Makes a plan for the locks that match a filter in one store, or in all open stores. */
export function releaseFiltered(scope: string | null, filter: string): void {
  const words = t.plans.making
  const { problems } = parseFilter(filter)
  if (problems.length > 0) {
    sayNoPlan(words.title, words.filterUnclear(problems.map(({ text }) => shownText(text, 60)).join(', ')))
    return
  }
  releaseIn(
    each => each.open && (scope === null || each.storeId === scope),
    () => ({ filter: filter.trim() || undefined }),
  )
}

type Choice = Pick<Input<'plans.create'>, 'filter' | 'picks'>

/** Makes a plan for locks of these stores, but of none that is read-only. */
function releaseIn(isMeant: (store: StoreEntry) => boolean, choose: (storeIds: string[]) => Choice): void {
  const words = t.plans.making
  const meant = consoleStore.getState().entries.filter(isMeant)
  const storeIds = meant.filter(each => !each.readOnly).map(each => each.storeId)
  const leftOut = meant.filter(each => each.readOnly).map(each => each.name)
  if (storeIds.length === 0) {
    const names = leftOut.map(name => shownText(name, 60)).join(', ')
    sayNoPlan(words.title, leftOut.length === 0 ? words.nothing : words.readOnly(names))
    return
  }
  const make = () => ask('plans.create', { storeIds, ...choose(storeIds) })
  void makePlan(words.title, words.working, make, { leftOut })
}
