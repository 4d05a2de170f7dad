import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { consoleStore, statusOf } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { Announcer } from '../../ui/Announcer.tsx'
import { t } from '../../words/words.ts'
import { AlertAnnouncer } from '../alerts/AlertMarks.tsx'
import { PlanChips } from '../plans/PlanSheet.tsx'
import styles from './StatusLine.module.css'

/** A smaller offset of the store's clock is not shown. */
const CLOCK_MATTERS_MS = 500

export function StatusLine() {
  const state = useStore(consoleStore)
  const scope = useStore(table, each => each.scope)
  const stores = state.entries
    .filter(each => each.open && (scope === null || each.storeId === scope))
    .map(({ storeId, name }) => ({ storeId, name, ...statusOf(state, storeId) }))
  const live = stores.filter(each => each.state === 'live')
  const notLive = stores.filter(each => each.state !== 'live')
  const scanned = live.reduce((sum, { pass }) => sum + (pass?.scanned ?? 0), 0)
  const tookMs = Math.max(0, ...live.map(({ pass }) => pass?.tookMs ?? 0))
  const [offset = 0] = stores.map(({ offsetMs }) => offsetMs).sort((a, b) => Math.abs(b) - Math.abs(a))
  const isLost = state.link === 'lost'
  const tone = live.length > 0 && notLive.length === 0 ? 'live' : 'warn'
  return (
    <footer className={styles.line}>
      <span className={styles.freshness} data-tone={isLost ? 'danger' : tone}>
        {isLost ? t.status.lost : t.status.stores(stores.length, notLive.length)}
      </span>
      {notLive.map(({ storeId, name, asOf }) => (
        <span key={storeId} className={styles.stale}>
          {name}: {asOf === null ? t.status.notYet : t.status.asOf(asOf)}
        </span>
      ))}
      {Math.abs(offset) > CLOCK_MATTERS_MS && <span>{t.status.clock(offset)}</span>}
      {scanned > 0 && <span>{t.status.scanned(scanned, tookMs)}</span>}
      <PlanChips />
      <span className={styles.end}>{state.info && `${t.product} ${state.info.version}`}</span>
      <ConsoleAnnouncer />
      <AlertAnnouncer />
    </footer>
  )
}

/** For screen readers: stores that go down or come back, and how many locks a filter leaves. Countdowns are not announced. */
function ConsoleAnnouncer() {
  const state = useStore(consoleStore)
  const { filterText, matching, total } = useStore(table)
  const [text, setText] = useState('')
  const known = useRef(new Map<string, string>())
  useEffect(() => {
    for (const { storeId, name, open } of state.entries) {
      const now = open ? statusOf(state, storeId).state : 'closed'
      const before = known.current.get(storeId)
      known.current.set(storeId, now)
      if (before === undefined || before === now) continue
      if (now === 'down') setText(t.status.announceDown(name))
      else if (now === 'live' && before === 'down') setText(t.status.announceLive(name))
    }
  }, [state])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing is announced, not every lock that comes and goes
  useEffect(() => {
    if (filterText === '') return
    const timer = setTimeout(() => setText(t.status.shownOf(matching, total)), 800)
    return () => clearTimeout(timer)
  }, [filterText])
  return <Announcer text={text} />
}
