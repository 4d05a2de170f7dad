import type { ComponentProps, ReactNode } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { useNow } from '../../state/clock.ts'
import {
  book,
  consoleStore,
  hasSession,
  leaveSession,
  type StoreStatus,
  setStoreOpen,
  statusOf,
} from '../../state/console.ts'
import { switchStore } from '../../state/switch.ts'
import { setScope, table } from '../../state/table.ts'
import { openDialog, show, type View, viewStore } from '../../state/view.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { sentence, t } from '../../words/words.ts'
import { AlertCount } from '../alerts/AlertMarks.tsx'
import { HoldCount } from '../holds/HoldsView.tsx'
import { releaseFiltered } from '../plans/release-all.ts'
import { rulesText } from '../stores/RulesNotice.tsx'
import { ProductionBadge, StoreDot } from '../stores/StoreName.tsx'
import { SwitchMark } from '../switch/SwitchView.tsx'
import itemStyles from './NavItem.module.css'
import styles from './Sidebar.module.css'

export function Sidebar() {
  const state = useStore(consoleStore)
  const { entries, suggestions, notice } = state
  const scope = useStore(table, state => state.scope)
  const view = useStore(viewStore, state => state.view)
  const hasSwitches = useStore(switchStore, state => state.runs.length > 0)
  useStore(table, state => state.revision)
  const counts = new Map<string, number>()
  let total = 0
  for (const { storeId, change } of book.rows.values()) {
    if (change === 'gone') continue
    counts.set(storeId, (counts.get(storeId) ?? 0) + 1)
    total++
  }
  const offered = suggestions.filter(each => !entries.some(entry => entry.address === each.address))
  return (
    <nav className={styles.sidebar} aria-label={t.regions.stores}>
      <div className={styles.brand}>
        <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
          <path d="M7 6v20M25 6v20" />
          <path d="M7 12.5l9 6 9-6" className={styles.gate} />
        </svg>
        {t.product}
      </div>
      <NavItem
        current={view === 'locks' && scope === null && 'page'}
        onClick={() => {
          setScope(null)
          show('locks')
        }}
      >
        <span>{t.sidebar.allLocks}</span>
        <span className="number muted">{t.number(total)}</span>
      </NavItem>
      <ViewItem view="stats" />
      <ViewItem view="alerts">
        <AlertCount />
      </ViewItem>
      <ViewItem view="holds">
        <HoldCount />
      </ViewItem>
      {(entries.length > 1 || hasSwitches || view === 'switch') && (
        <ViewItem view="switch">
          <SwitchMark />
        </ViewItem>
      )}
      <NavItem onClick={() => openDialog({ kind: 'plans' })}>{t.plans.nav}</NavItem>
      <NavItem onClick={() => openDialog({ kind: 'audit' })}>{t.audit.nav}</NavItem>
      <NavItem onClick={() => openDialog({ kind: 'report' })}>{t.report.nav}</NavItem>
      {hasSession(state) && <NavItem onClick={() => void leaveSession()}>{t.session.end}</NavItem>}
      <h2 className={styles.title}>{t.sidebar.stores}</h2>
      <ul className={styles.storeList}>
        {entries.map(entry => (
          <StoreItem
            key={entry.storeId}
            entry={entry}
            current={scope === entry.storeId}
            locks={counts.get(entry.storeId) ?? 0}
          />
        ))}
      </ul>
      <NavItem className={styles.add} onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
        <span>
          <Icon name="plus" size={12} /> {t.sidebar.add}
        </span>
      </NavItem>
      {offered.length > 0 && (
        <>
          <h2 className={styles.title}>{t.sidebar.found}</h2>
          {offered.map(({ suggestionId, name, variables }) => (
            <NavItem
              key={suggestionId}
              className={styles.offer}
              onClick={() => openDialog({ kind: 'store', mode: 'add', suggestionId })}
            >
              <span className="clip">{t.sidebar.offer(name)}</span>
              <span className="faint clip">{t.sidebar.offerFrom(variables.join(', '))}</span>
            </NavItem>
          ))}
        </>
      )}
      {notice !== null && (
        <p className={styles.notice} role="status">
          {notice}
        </p>
      )}
    </nav>
  )
}

type ViewProps = { readonly view: View; readonly children?: ReactNode }

function ViewItem({ view, children }: ViewProps) {
  const isShown = useStore(viewStore, state => state.view === view)
  return (
    <NavItem current={isShown && 'page'} onClick={() => show(view)}>
      <span>{t.regions.main[view]}</span>
      {children}
    </NavItem>
  )
}

type ItemProps = { readonly entry: StoreEntry; readonly current: boolean; readonly locks: number }

function StoreItem({ entry, current, locks }: ItemProps) {
  const { storeId, name, open } = entry
  const status = useStore(consoleStore, state => statusOf(state, storeId))
  const text = storeText(entry, status, locks, useNow())
  const rules = rulesText(entry)
  const words = t.sidebar
  return (
    <li className={styles.storeItem} data-closed={!open || undefined}>
      <NavItem
        className={styles.store}
        current={current && 'true'}
        title={text.why ?? entry.address}
        onClick={() => (open ? setScope(storeId) : setStoreOpen(entry, true))}
      >
        <span className={styles.top}>
          <StoreDot colour={entry.colour} />
          <span className="clip">{name}</span>
          {entry.production && <ProductionBadge title={words.productionTitle} />}
        </span>
        <span className={styles.state} data-tone={text.tone}>
          {t.status.ofKind(kindOf(entry.kind).label, text.text)}
          {entry.readOnly && ` · ${words.readOnly}`}
        </span>
        {text.why !== null && <span className={styles.why}>{text.why}</span>}
        {rules !== '' && <span className={styles.why}>{rules}</span>}
      </NavItem>
      <Menu
        label={words.menu(name)}
        className={styles.menu}
        items={[
          { label: open ? words.close : words.open, run: () => setStoreOpen(entry, !open) },
          ...(open ? [{ label: t.plans.releaseAll, run: () => releaseFiltered(storeId, '') }] : []),
          { label: words.edit, run: () => openDialog({ kind: 'store', mode: 'edit', storeId }) },
          { label: words.duplicate, run: () => openDialog({ kind: 'store', mode: 'duplicate', storeId }) },
          { label: words.remove, run: () => openDialog({ kind: 'remove-store', storeId }) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  )
}

function storeText(entry: StoreEntry, status: StoreStatus, locks: number, now: number) {
  const words = t.status
  if (!entry.open) return { tone: 'faint', text: words.closed, why: null }
  if (entry.problem) return { tone: 'danger', text: words.downNow, why: sentence(entry.problem.message) }
  const why = status.error ? sentence(status.error.message) : null
  switch (status.state) {
    case 'connecting':
      return { tone: 'faint', text: words.connecting, why }
    case 'live':
      return { tone: 'live', text: words.live(locks), why: null }
    case 'stale':
      return { tone: 'warn', text: words.stale(t.clockTime(status.asOf ?? status.since)), why }
    case 'down': {
      const left = (status.retryAt ?? now) - now
      const state =
        status.error?.code === 'STORE_DENIED' ? words.denied : words.down(Math.max(0, now - status.since))
      return { tone: 'danger', text: `${state} · ${left > 0 ? words.retryIn(left) : words.retrying}`, why }
    }
  }
}

type NavProps = ComponentProps<'button'> & { readonly current?: 'page' | 'true' | false | undefined }

/** An entry of the navigation at the left. */
function NavItem({ current, className = '', ...rest }: NavProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${itemStyles.item} ${className}`}
      aria-current={current === false ? undefined : current}
    />
  )
}
