import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { SPLIT_STORY } from '../../../shared/alert-rules/two-stores.ts'
import type { Side, SideNow, Split, SwitchRun } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import { consoleStore, setStoreOpen, statusOf } from '../../state/console.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { t } from '../../words/words.ts'
import { lookForName } from './look-for-name.ts'
import { DataTable } from './parts.tsx'
import styles from './Switch.module.css'
import { openStrays } from './step-state.ts'
import { type StepProps, useSwitchNow } from './use-switch.ts'

const MOST_SHOWN = 5

/** What must not be overlooked, at every step. */
export function Trouble({ run }: StepProps) {
  const splits = useSwitchNow(now => now.splits) ?? []
  const strays = openStrays(run)
  return (
    <>
      {splits.length > 0 && <Splits run={run} splits={splits} />}
      {strays.length > 0 && <Strays run={run} strays={strays} />}
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

function Splits({ run, splits }: { readonly run: SwitchRun; readonly splits: readonly Split[] }) {
  const now = useNow()
  const words = t.switch.trouble
  const title = words.splitTitle(splits.length)
  const inStore = ({ storeName }: Side) => words.inStore(shownText(storeName, 60))
  return (
    <TroubleBox title={title} text={words.splitText} more={splits.length - MOST_SHOWN}>
      <DataTable
        caption={title}
        rows={splits.slice(0, MOST_SHOWN)}
        keyOf={({ name }) => name}
        columns={[
          {
            title: words.columns.name,
            kind: 'head',
            cell: ({ name }) => (
              <Button look="link" className="mono" title={words.compare} onClick={() => lookForName(name)}>
                {shownText(name, 120)}
              </Button>
            ),
          },
          {
            title: inStore(run.from),
            cell: ({ fromKey, fromHolder }) => (
              <span title={shownText(fromKey, 200)}>{holderName(fromHolder)}</span>
            ),
          },
          {
            title: inStore(run.to),
            cell: ({ toKey, toHolder }) => <span title={shownText(toKey, 200)}>{holderName(toHolder)}</span>,
          },
          {
            title: words.columns.since,
            kind: 'number',
            cell: ({ since }) => t.switch.stop.ago(now - since),
          },
        ]}
      />
      <WhyTwoBreak />
    </TroubleBox>
  )
}

function Strays({ run, strays }: { readonly run: SwitchRun; readonly strays: SwitchRun['strays'] }) {
  const now = useNow()
  const words = t.switch.trouble
  const title = words.strayTitle(strays.length)
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
          { title: words.columns.holder, kind: 'head', cell: ({ holder }) => holderName(holder) },
          { title: words.columns.key, kind: 'mono', cell: ({ key }) => shownText(key, 120) },
          { title: words.columns.when, kind: 'number', cell: ({ at }) => t.switch.stop.ago(now - at) },
        ]}
      />
    </TroubleBox>
  )
}

export function WhyTwoBreak() {
  return (
    <details className={`alert-next ${styles.story}`}>
      <summary>{t.switch.trouble.why}</summary>
      <ol>
        {SPLIT_STORY.map(part => (
          <li key={part}>{part}</li>
        ))}
      </ol>
    </details>
  )
}

function holderName(holder: string | null): string {
  return holder === null ? t.switch.trouble.noHolder : shownText(holder, 100)
}

/** Stores that cannot be read, said before anything else. */
export function SideNotices({ run }: StepProps) {
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
  const readAt = useStore(consoleStore, state => statusOf(state, side.storeId ?? '').asOf)
  // The list of locks may have read the store before the switch has, which shows nothing before its own poll.
  const asOf = now.held === null ? null : readAt
  const words = t.switch
  const name = shownText(side.storeName, 60)
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
