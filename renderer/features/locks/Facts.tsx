import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { holdersLookAlike } from '../../../shared/lease.ts'
import { noteSentence, releaseConsequences } from '../../../shared/lock-words.ts'
import type { FormatInfo, Lock, LockDetail, Story, WatchedLock } from '../../../shared/locks.ts'
import { neutralise } from '../../../shared/safe-text.ts'
import { consoleStore } from '../../state/console.ts'
import { CopyButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { Statements } from '../../ui/Statements.tsx'
import { shownText, t } from '../../words/words.ts'
import styles from './Facts.module.css'

type Props = {
  readonly lock: WatchedLock
  readonly story: Story | null
  readonly storeId: string
  readonly formatTitle: string
}

/** The fields of the record, with the source of each time. */
export function Facts({ lock, story, storeId, formatTitle }: Props) {
  const store = useStore(consoleStore, state => state.entries.find(each => each.storeId === storeId))
  const words = t.inspector
  const { firstSeenAt, renewals, holders } = story ?? lock.watched
  const { acquiredAt } = lock
  return (
    <>
      <Notes lock={lock} />
      <dl className={panelStyles.facts}>
        <Fact name={words.facts.owner}>{lock.owner === null ? t.noHolder : shownText(lock.owner)}</Fact>
        {lock.holder && <Fact name={words.facts.holder}>{shownText(lock.holder.label)}</Fact>}
        <Fact name={words.facts.acquired} from={acquiredAt !== null && words.sources[lock.acquiredAtSource]}>
          {acquiredAt === null ? words.unknown : t.dateTime(acquiredAt)}
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
            ? words.watchedAlike(firstSeenAt, renewals)
            : words.watchedSince(firstSeenAt, renewals, holders)}
        </Fact>
        <Fact name={words.facts.format}>{formatTitle}</Fact>
        <Fact name={words.facts.store}>{store?.name}</Fact>
        <Fact name={words.facts.read}>{t.dateTime(lock.observedAt)}</Fact>
        <Fact name={words.facts.fence} mono>
          {lock.fence}
        </Fact>
      </dl>
      <details className={panelStyles.panel}>
        <summary>{words.fields}</summary>
        <dl className={panelStyles.facts}>
          {Object.entries(lock.fields).map(([name, value]) => (
            <Fact key={name} name={shownText(name, 80)} mono>
              {shownText(String(value))}
            </Fact>
          ))}
        </dl>
      </details>
    </>
  )
}

type FactProps = {
  readonly name: ReactNode
  readonly from?: string | false
  readonly mono?: boolean
  readonly children: ReactNode
}

export function Fact({ name, from, mono, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {mono ? <span className="mono">{children}</span> : children}
        {from && <span className="faint"> {from}</span>}
      </dd>
    </>
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

type EffectProps = {
  readonly title: string
  readonly format: FormatInfo | undefined
  readonly detail?: LockDetail | null
}

/** What a release does in the format's own terms, and the equivalent command. */
export function ReleaseEffect({ title, format, detail }: EffectProps) {
  const words = t.inspector
  return (
    <section className={panelStyles.panel} aria-label={title}>
      <h3>{title}</h3>
      <ul className={panelStyles.points}>
        {format && releaseConsequences(format).map(sentence => <li key={sentence}>{sentence}</li>)}
      </ul>
      {detail && detail.release.length > 0 && (
        <Statements text={detail.release.map(neutralise).join('\n')} label={title} />
      )}
      {detail && <h3>{words.command}</h3>}
      {detail?.command === null && <p className="muted">{words.noCommand}</p>}
      {detail?.command && (
        <>
          <Statements text={neutralise(detail.command)} label={words.command} />
          <CopyButton text={detail.command} label={words.copyCommand} />
        </>
      )}
    </section>
  )
}
