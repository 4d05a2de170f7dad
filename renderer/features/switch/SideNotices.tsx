import { useStore } from 'zustand'
import type { Side, SideNow, SwitchRun } from '../../../shared/switch.ts'
import { consoleStore, setStoreOpen, statusOf } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { useSwitchNow } from './step-props.ts'

/** What cannot be seen of the two stores is said before anything else. */
export function SideNotices({ run }: { readonly run: SwitchRun }) {
  const from = useSwitchNow(now => now.from)
  const to = useSwitchNow(now => now.to)
  return (
    <>
      {from && from.status !== 'live' && <SideNotice side={run.from} now={from} />}
      {to && to.status !== 'live' && <SideNotice side={run.to} now={to} />}
    </>
  )
}

function SideNotice({ side, now }: { readonly side: Side; readonly now: SideNow }) {
  const entry = useStore(consoleStore, state =>
    state.entries.find(({ storeId, address }) => storeId === side.storeId || address === side.address),
  )
  const seenAt = useStore(consoleStore, state => statusOf(state, side.storeId ?? '').asOf)
  // The list may know more than the switch, which shows nothing before it has looked itself.
  const asOf = now.held === null ? null : seenAt
  const words = t.switch
  const name = shownText(side.storeName, 60)
  const why = now.error ? sentence(now.error.message) : ''
  return (
    <p className="view-notice side-notice" role="status">
      {now.status === 'closed'
        ? words.closed(name)
        : words[now.status === 'down' ? 'down' : 'stale'](name, asOf, why)}
      {now.status === 'closed' && entry && !entry.open && (
        <Button onClick={() => setStoreOpen(entry, true)}>{words.openStore(name)}</Button>
      )}
    </p>
  )
}
