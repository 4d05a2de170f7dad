import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { Side, SideNow } from '../../../shared/switch.ts'
import { mayBeMore } from '../../../shared/switch-steps.ts'
import { useNow } from '../../state/clock.ts'
import { consoleStore, setStoreOpen, statusOf } from '../../state/console.ts'
import { act } from '../../state/switch.ts'
import { lookForName } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { Icon } from '../../ui/Icon.tsx'
import viewStyles from '../../ui/View.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import { holderName, type StepProps, storeName, WhyTwoBreak } from './parts.tsx'
import { openStrays } from './step-state.ts'
import styles from './Trouble.module.css'

const MOST_SHOWN = 5

/** Locks with two holders, strays and unreadable stores, shown at every step. */
export function Trouble({ run, now }: StepProps) {
  return (
    <>
      {now.splits.length > 0 && <HeldInBoth run={run} now={now} />}
      {openStrays(run).length > 0 && <Strays run={run} now={now} />}
      {now.from.status !== 'live' && <SideNotice side={run.from} now={now.from} />}
      {now.to.status !== 'live' && <SideNotice side={run.to} now={now.to} />}
    </>
  )
}

type BoxProps = {
  readonly tone?: 'warn'
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
  /** Entries that are not shown. */
  readonly more: number
  readonly children: ReactNode
}

function TroubleBox({ tone, title, text, action, more, children }: BoxProps) {
  return (
    <section className={styles.trouble} data-tone={tone} aria-label={title}>
      <h2>
        <Icon name={tone === 'warn' ? 'warning' : 'alert'} size={15} />
        <span>{title}</span>
        {action}
      </h2>
      <p>{text}</p>
      {children}
      {more > 0 && <p>{t.switch.trouble.more(more)}</p>}
    </section>
  )
}

/** Locks that are held in both stores now. */
function HeldInBoth({ run, now: { splits, unlistedSplits } }: StepProps) {
  const time = useNow()
  const words = t.switch.trouble
  const title = words.splitTitle(splits.length + unlistedSplits)
  const inStore = (side: Side) => words.inStore(storeName(side))
  const holderCell = (key: string, holder: string | null) => (
    <span title={shownText(key, 200)}>{holderName(holder)}</span>
  )
  return (
    <TroubleBox title={title} text={words.splitText} more={splits.length + unlistedSplits - MOST_SHOWN}>
      <DataTable
        caption={title}
        rows={splits.slice(0, MOST_SHOWN)}
        keyOf={({ name }) => name}
        columns={[
          [
            words.columns.name,
            ({ name }) => (
              <Button look="link" className="mono" title={words.compare} onClick={() => lookForName(name)}>
                {shownText(name, 120)}
              </Button>
            ),
            'head',
          ],
          [inStore(run.from), ({ fromKey, fromHolder }) => holderCell(fromKey, fromHolder)],
          [inStore(run.to), ({ toKey, toHolder }) => holderCell(toKey, toHolder)],
          [words.columns.since, ({ since }) => t.switch.stop.ago(time - since), 'number'],
        ]}
      />
      <WhyTwoBreak />
    </TroubleBox>
  )
}

function Strays({ run }: StepProps) {
  const time = useNow()
  const words = t.switch.trouble
  const strays = openStrays(run)
  const title = words.strayTitle(strays.length, mayBeMore(run, { strays }))
  return (
    <TroubleBox
      tone="warn"
      title={title}
      text={words.strayText}
      more={strays.length - MOST_SHOWN}
      action={
        <Button onClick={() => void act('switch.back', { switchId: run.switchId, step: 'stop' })}>
          {words.backToStop}
        </Button>
      }
    >
      <DataTable
        caption={title}
        rows={strays.slice(0, MOST_SHOWN)}
        keyOf={({ key, at }) => `${key} ${at}`}
        columns={[
          [words.columns.holder, ({ holder }) => holderName(holder), 'head'],
          [words.columns.key, ({ key }) => shownText(key, 120), 'mono'],
          [words.columns.when, ({ at }) => t.switch.stop.ago(time - at), 'number'],
        ]}
      />
    </TroubleBox>
  )
}

/** A store that cannot be read. */
function SideNotice({ side, now }: { readonly side: Side; readonly now: SideNow }) {
  const entry = useStore(consoleStore, state =>
    state.entries.find(({ storeId, address }) => storeId === side.storeId || address === side.address),
  )
  const readAt = useStore(consoleStore, state => statusOf(state, side.storeId ?? '').asOf)
  // The list of locks may have read the store before the switch has, which shows nothing before its own poll.
  const asOf = now.held === null ? null : readAt
  const words = t.switch
  const name = storeName(side)
  const why = now.error ? sentence(now.error.message) : ''
  const isClosed = now.status === 'closed'
  return (
    <p className={`${viewStyles.notice} ${styles.notice}`} role="status">
      {isClosed ? words.closed(name) : words[now.status === 'down' ? 'down' : 'stale'](name, asOf, why)}
      {isClosed && entry && !entry.open && (
        <Button onClick={() => setStoreOpen(entry, true)}>{words.openStore(name)}</Button>
      )}
    </p>
  )
}
