import type { StoreEntry } from '../../../shared/stores.ts'
import { Notice } from '../../ui/Notice.tsx'
import { shownText, t } from '../../words/words.ts'

/** Which other stores of the list have rules for this one; empty for none. */
export function rulesText({ rulesFrom }: StoreEntry): string {
  return rulesFrom.length === 0 ? '' : t.stores.rulesFrom(rulesFrom.map(name => shownText(name, 60)))
}

export function RulesNotice({ store }: { readonly store: StoreEntry | undefined }) {
  const text = store ? rulesText(store) : ''
  return text === '' ? null : <Notice role="status">{text}</Notice>
}
