import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import type { Arrival, Remaining, SideNow, SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { providerDifferences } from '../../../shared/switch-providers.ts'
import { isSeenAfterRestart, isWorkedIn, reachedAt, willNotEnd } from '../../../shared/switch-steps.ts'
import { useNow } from '../../state/clock.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { makePlan } from '../../state/plan.ts'
import { act } from '../../state/switch.ts'
import { inspect } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { Icon } from '../../ui/Icon.tsx'
import viewStyles from '../../ui/View.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import {
  Figures,
  Gauge,
  hiddenTitle,
  holderName,
  nameHolders,
  QuietMeter,
  SideName,
  type StepProps,
  storeName,
  WhyTwoBreak,
} from './parts.tsx'
import styles from './StepFacts.module.css'
import partStyles from './SwitchParts.module.css'
import { openStrays, toDrain } from './step-state.ts'

const POINTS = [
  ['advantages', 'live'],
  ['considerations', 'warn'],
] as const

/** Both providers side by side: their current numbers, and the pros and cons of each. */
export function UnderstandStep({ run, now }: StepProps) {
  const words = t.switch.understand
  const { numbers, means } = providerDifferences(run, now)
  const rows = [
    ...numbers.map(({ what, ...values }) => ({
      what,
      cell: (side: Which) => <NumberCell value={values[side]} side={now[side]} />,
    })),
    ...POINTS.map(([name, tone]) => ({
      what: words[name],
      cell: (side: Which) => <Points points={kindOf(run[side].kind)[name]} tone={tone} />,
    })),
  ]
  const head = (side: Which, role: string): ReactNode => (
    <>
      <SideName side={run[side]} />
      <span className={styles.role} data-status={now[side].status}>
        {role} · {words.statuses[now[side].status]}
      </span>
    </>
  )
  return (
    <>
      {means.length > 0 && (
        <Card label={words.means} titled className={styles.means}>
          <ul>
            {means.map(each => (
              <li key={each}>{sentence(each)}</li>
            ))}
          </ul>
        </Card>
      )}
      <Card label={words.compare}>
        <DataTable<Row>
          caption={words.compare}
          className={styles.compare}
          rows={rows}
          keyOf={({ what }) => what}
          columns={[
            [hiddenTitle(words.measure), ({ what }) => what, 'head'],
            [head('from', words.today), ({ cell }) => cell('from')],
            [head('to', words.afterwards), ({ cell }) => cell('to')],
          ]}
        />
      </Card>
      <WhyTwoBreak />
    </>
  )
}

type Which = 'from' | 'to'
type Row = { readonly what: string; readonly cell: (side: Which) => ReactNode }

function NumberCell({ value, side }: { readonly value: string | null; readonly side: SideNow }) {
  return (
    <span className="number" data-behind={side.status !== 'live' || undefined}>
      {value === null ? t.switch.understand.nothing : shownText(value, 80)}
    </span>
  )
}

function Points({ points, tone }: { readonly points: readonly string[]; readonly tone: 'live' | 'warn' }) {
  return (
    <ul className={styles.points} data-tone={tone}>
      {points.map(point => (
        <li key={point}>
          <Icon name={tone === 'live' ? 'plus' : 'warning'} size={12} />
          <span>{point}</span>
        </li>
      ))}
    </ul>
  )
}

export function StopStep({ run, now }: StepProps) {
  const words = t.switch.stop
  const time = useNow()
  const { arrivals, watchedSince, from } = now
  const isOld = ({ at }: Arrival) => time - at >= run.quietMs
  const atWork = arrivals.filter(each => !isOld(each))
  return (
    <>
      <Card label={words.quiet}>
        <QuietMeter label={words.quiet} run={run} now={now} />
        {atWork.length > 0 && <p className={styles.atWork}>{words.atWork(nameHolders(atWork))}</p>}
      </Card>
      <Card
        label={words.arrivals}
        titled
        isBehind={from.status !== 'live'}
        aside={
          watchedSince !== null && (
            <span className={`faint ${cardStyles.aside} number`}>{words.watchedSince(watchedSince)}</span>
          )
        }
      >
        {arrivals.length === 0 ? (
          <p className={`${cardStyles.note} muted`}>{words.noArrivals}</p>
        ) : (
          <DataTable
            caption={words.arrivals}
            className={styles.arrivals}
            rows={arrivals}
            keyOf={({ key, what, at }) => `${key} ${what} ${at}`}
            lookOf={each => (isOld(each) ? 'old' : undefined)}
            columns={[
              [words.columns.ago, ({ at }) => words.ago(Math.max(0, time - at)), 'number'],
              [words.columns.holder, ({ holder }) => holderName(holder)],
              [words.columns.what, ({ what }) => words.whats[what]],
              [words.columns.key, ({ key }) => shownText(key, 120), 'mono'],
            ]}
          />
        )}
      </Card>
    </>
  )
}

export function DrainStep({ run, now }: StepProps) {
  const words = t.switch.drain
  const { remaining, from } = now
  const { held } = from
  const holds = from.holds ?? 0
  const isBehind = from.status !== 'live'
  const start = toDrain(run, held)
  return (
    <>
      <Card label={words.gauge} isBehind={isBehind} className={styles.drain}>
        <p className={styles.drainNumber}>
          <strong className="number">{held === null ? t.switch.understand.nothing : t.number(held)}</strong>
          <span className="muted">
            {held !== null && words.heldWord(held)}
            {start !== null && start > (held ?? 0) && ` ${words.of(start)}`}
          </span>
        </p>
        {held !== null && start !== null && start > 0 && (
          <Gauge label={words.gauge} value={start - held} max={start} said={words.gaugeSaid(held, start)} />
        )}
        <WillNotEnd now={now} />
        <LastEnd remaining={remaining} />
        {holds > 0 && <p className="muted">{words.holds(holds)}</p>}
      </Card>
      {remaining.length > 0 && (
        <Card label={words.remaining} titled isBehind={isBehind}>
          <RemainingTable remaining={remaining} storeId={run.from.storeId} />
          {held !== null && held > remaining.length && (
            <p className={`${cardStyles.note} faint`}>{words.notListed(held - remaining.length)}</p>
          )}
        </Card>
      )}
    </>
  )
}

function WillNotEnd({ now: { remaining, from } }: { readonly now: SwitchNow }) {
  const stuck = willNotEnd(remaining)
  if (stuck.length === 0) return null
  // Locks that will not end are listed first, and the list is limited: there may be more of them.
  const isMore = stuck.length === remaining.length && stuck.length < (from.held ?? 0) - (from.holds ?? 0)
  return (
    <p className={styles.stuck}>
      <Icon name="endless" />
      <span>{t.switch.drain.wont(stuck.length, isMore, nameHolders(stuck))}</span>
    </p>
  )
}

function LastEnd({ remaining }: { readonly remaining: readonly Remaining[] }) {
  const time = useNow()
  const ends = remaining.flatMap(({ why, endsAt }) => (why === 'ends' && endsAt !== null ? [endsAt] : []))
  if (ends.length === 0) return null
  const last = Math.max(...ends)
  return <p className="muted number">{t.switch.drain.last(last, Math.max(0, last - time))}</p>
}

type RemainingProps = { readonly remaining: readonly Remaining[]; readonly storeId: string | null }

function RemainingTable({ remaining, storeId }: RemainingProps) {
  const time = useNow()
  const words = t.switch.drain
  const sayAge = (since: number | null) =>
    since === null ? words.unknownAge : t.span(Math.max(0, time - since))
  const sayEnd = (endsAt: number | null) => {
    if (endsAt === null) return words.never
    return endsAt > time ? t.duration(endsAt - time) : words.ended
  }
  const lockLink = ({ key, lockId }: Remaining) => {
    const shown = shownText(key, 120)
    if (storeId === null) return <span className="mono clip">{shown}</span>
    const open = () => inspect({ storeId, id: lockId })
    return (
      <Button look="link" className="mono clip" title={shown} onClick={open}>
        {shown}
      </Button>
    )
  }
  return (
    <DataTable
      caption={words.remaining}
      className={styles.remaining}
      rows={remaining}
      keyOf={({ lockId }) => lockId}
      columns={[
        [words.columns.key, lockLink, 'head'],
        [words.columns.holder, ({ holder }) => holderName(holder)],
        [words.columns.held, ({ heldSince }) => sayAge(heldSince), 'number'],
        [words.columns.ends, ({ endsAt }) => sayEnd(endsAt), 'number'],
        [
          words.columns.why,
          ({ why, renewals }) => (
            <span className={styles.why} data-why={why}>
              {why === 'renewed' ? words.renewed(renewals) : words.whys[why]}
            </span>
          ),
        ],
      ]}
    />
  )
}

export function CleanStep({ run, now: { from, checks } }: StepProps) {
  const words = t.switch.clean
  const figures = [
    { name: words.held, value: from.held, tone: 'warn' as const },
    { name: words.expired, value: from.expired, tone: 'danger' as const },
    ...(from.unrecognised ? [{ name: words.unrecognised, value: from.unrecognised }] : []),
  ]
  const { length: plans } = run.planIds
  return (
    <Card label={words.left} isBehind={from.status !== 'live'} className={partStyles.stack}>
      <Figures label={words.left} figures={figures} />
      {from.unrecognised ? <p className={`${cardStyles.note} muted`}>{words.unrecognisedNote}</p> : null}
      {checks.clean.is === 'met' ? (
        <p className={`${cardStyles.note} muted`}>{words.empty}</p>
      ) : (
        <ReleaseRest run={run} isLive={from.status === 'live'} />
      )}
      {plans > 0 && <p className={`${cardStyles.note} faint`}>{words.plans(plans)}</p>}
    </Card>
  )
}

function ReleaseRest({ run, isLive }: { readonly run: SwitchRun; readonly isLive: boolean }) {
  const words = t.switch.clean
  const { switchId, from } = run
  const isReadOnly = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === from.storeId)?.readOnly === true,
  )
  if (isReadOnly) return <p className={viewStyles.notice}>{words.readOnly(storeName(from))}</p>
  return (
    <p className={styles.line}>
      <Button
        className={styles.release}
        disabled={!isLive}
        onClick={() => void makePlan(words.making, words.makingText, () => ask('switch.plan', { switchId }))}
      >
        {words.plan}
      </Button>
      <span className="muted">{words.planHint}</span>
    </p>
  )
}

export function RestartStep({ run, now }: StepProps) {
  const words = t.switch.restart
  const time = useNow()
  const { firstArrivalInNewAt: first, to } = now
  const waitingMs = time - (reachedAt(run, 'restart') ?? run.begunAt)
  return (
    <Card label={t.switch.verify.newHeld} isBehind={to.status !== 'live'} className={partStyles.stack}>
      {first === null ? (
        <p className={styles.firstLock}>
          <span className={styles.pulse} aria-hidden="true" />
          {words.waiting(storeName(run.to))}{' '}
          <span className="faint number">{words.waitingFor(Math.max(0, waitingMs))}</span>
        </p>
      ) : (
        <p className={styles.firstLock} data-tone="live">
          <Icon name="check" size={16} /> {words.came(storeName(run.to), first)}
        </p>
      )}
      <Figures label={t.switch.verify.newHeld} figures={figuresOf(now)} />
    </Card>
  )
}

export function VerifyStep({ run, now }: StepProps) {
  const words = t.switch.verify
  const { from, to, splits, unlistedSplits } = now
  const isSeen = isSeenAfterRestart(run)
  const isBehind = from.status !== 'live' || to.status !== 'live'
  const inBoth = { name: words.splits, value: splits.length + unlistedSplits, tone: 'danger' as const }
  return (
    <Card label={words.newHeld} isBehind={isBehind} className={partStyles.stack}>
      <Figures label={words.newHeld} figures={[...figuresOf(now), inBoth]} />
      {/* While a worker holds a lock, the old store is not quiet; and after a worker was seen, quiet proves nothing. */}
      {from.held !== null && !isWorkedIn(from) && !isSeen && (
        <QuietMeter label={words.oldQuiet} run={run} now={now} />
      )}
      {/* Strays, and names that are held in both stores now, have their notices above. */}
      {isSeen && splits.length === 0 && openStrays(run).length === 0 && (
        <p className={styles.line}>
          <Button onClick={() => void act('switch.back', { switchId: run.switchId, step: 'stop' })}>
            {t.switch.trouble.backToStop}
          </Button>
          <span className="muted">{words.seen}</span>
        </p>
      )}
    </Card>
  )
}

function figuresOf({ from, to }: SwitchNow) {
  const words = t.switch.verify
  return [
    { name: words.newHeld, value: to.held, tone: 'live' as const },
    { name: words.newRate, value: to.acquiredPerMinute, say: t.switch.understand.perMinute },
    { name: words.oldHeld, value: from.held, tone: isWorkedIn(from) ? ('danger' as const) : undefined },
  ]
}
