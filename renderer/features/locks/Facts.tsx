import { Fragment } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { noteSentence } from '../../../shared/lock-words.ts'
import type { Lock, Story, WatchedLock } from '../../../shared/locks.ts'
import { consoleStore } from '../../state/console.ts'
import { Icon } from '../../ui/Icon.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Facts.module.css'

type Props = {
  readonly lock: WatchedLock
  readonly story: Story | null
  readonly storeId: string
  readonly formatTitle: string
}

/** What the record says, and the source of each time. */
export function Facts({ lock, story, storeId, formatTitle }: Props) {
  const store = useStore(consoleStore, state => state.entries.find(each => each.storeId === storeId))
  const words = t.inspector
  const watched = story ?? lock.watched
  return (
    <>
      <Notes lock={lock} />
      <dl className={panelStyles.facts}>
        <Fact name={words.facts.owner}>{lock.owner === null ? t.table.noOwner : shownText(lock.owner)}</Fact>
        {lock.holder && <Fact name={words.facts.holder}>{shownText(lock.holder.label)}</Fact>}
        <Fact
          name={words.facts.acquired}
          from={lock.acquiredAt === null ? undefined : words.sources[lock.acquiredAtSource]}
        >
          {lock.acquiredAt === null ? words.unknown : t.dateTime(lock.acquiredAt)}
        </Fact>
        {lock.deadlines.length === 0 && (
          <Fact name={words.facts.expires}>{lock.lease.kind === 'never' ? words.never : words.unknown}</Fact>
        )}
        {lock.deadlines.map(({ at, source }) => (
          <Fact key={source} name={words.facts.expires} from={words.sources[source]}>
            {t.dateTime(at)}
          </Fact>
        ))}
        <Fact name={words.facts.seen}>
          {holdersLookAlike(lock)
            ? words.watchedAlike(watched.firstSeenAt, watched.renewals)
            : words.watchedSince(watched.firstSeenAt, watched.renewals, watched.holders)}
        </Fact>
        <Fact name={words.facts.format}>{formatTitle}</Fact>
        <Fact name={words.facts.store}>{store?.name ?? ''}</Fact>
        <Fact name={words.facts.read}>{t.dateTime(lock.observedAt)}</Fact>
        <Fact name={words.facts.fence}>
          <span className="mono">{lock.fence}</span>
        </Fact>
      </dl>
      <details className={panelStyles.panel}>
        <summary>{words.fields}</summary>
        <dl className={panelStyles.facts}>
          {Object.entries(lock.fields).map(([name, value]) => (
            <Fact key={name} name={shownText(name, 80)}>
              <span className="mono">{shownText(String(value))}</span>
            </Fact>
          ))}
        </dl>
      </details>
    </>
  )
}

type FactProps = {
  readonly name: string
  readonly from?: string | undefined
  readonly children: React.ReactNode
}

function Fact({ name, from, children }: FactProps) {
  return (
    <Fragment>
      <dt>{name}</dt>
      <dd>
        {children}
        {from !== undefined && <span className="faint"> {from}</span>}
      </dd>
    </Fragment>
  )
}

/** Warnings to read before trusting or releasing the lock. */
export function Notes({ lock }: { readonly lock: Lock }) {
  if (lock.notes.length === 0) return null
  return (
    <section className={styles.notes} aria-label={t.inspector.notes}>
      {lock.notes.map(note => (
        <p key={JSON.stringify(note)}>
          <Icon name="alert" size={12} /> {shownText(noteSentence(note, t.dateTime), 600)}
        </p>
      ))}
    </section>
  )
}
