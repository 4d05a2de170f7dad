import {
  addNumbers,
  type Counted,
  FLOW_NAMES,
  FLOW_WORDS,
  type Groups,
  type Histogram,
  type LockBrief,
  ratesOf,
  type Stats,
  type StoreStats,
  topGroups,
} from '../../../shared/stats.ts'
import { inspect } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { LongTable } from '../../ui/DataTable.tsx'
import figureStyles from '../../ui/Figures.module.css'
import { Figure } from '../../ui/Figures.tsx'
import { shownText, t } from '../../words/words.ts'
import { ChartFrame } from './ChartFrame.tsx'
import styles from './Stats.module.css'
import { isOld, sayWhen } from './say-when.ts'
import type { StatsAnswer } from './use-stats.ts'

const TONES: Partial<Record<Counted, string>> = { expiring: 'warn', endless: 'endless', expired: 'danger' }
const STATES: readonly Counted[] = ['held', 'expiring', 'endless', 'unknown', 'expired', 'released']
/** Shown only if there are such locks. */
const RARE: readonly Counted[] = ['unknown', 'released']

/** The current figures, and those of the observed part of the window. */
export function FiguresRow({ answer }: { readonly answer: StatsAnswer }) {
  const { at, since, overall, stores } = answer.stats
  const { counts, active, total, oldest, longest, observedMs } = overall
  const rates = ratesOf(stores)
  const words = t.stats
  const spent = stores.map(each => each.spent).reduce(addNumbers)
  return (
    <>
      <section className={figureStyles.figures} aria-label={sayWhen(stores)}>
        <dl>
          <Figure name={words.active}>{t.number(active)}</Figure>
          {STATES.filter(name => counts[name] > 0 || !RARE.includes(name)).map(name => (
            <Figure key={name} name={words.states[name]} tone={counts[name] > 0 ? TONES[name] : undefined}>
              {t.number(counts[name])}
            </Figure>
          ))}
          <Figure name={words.stored}>{t.number(total)}</Figure>
        </dl>
      </section>
      <section className={`${figureStyles.figures} ${figureStyles.small}`} aria-label={words.perMinute}>
        <dl>
          {FLOW_NAMES.map(name => (
            <Figure key={name} name={FLOW_WORDS[name]} unit={words.aMinute}>
              {words.rate(rates?.[name] ?? null)}
            </Figure>
          ))}
          <BriefFigure name={words.oldest} brief={oldest} until={seenAt(answer.stats, oldest)} />
          <BriefFigure name={words.longest} brief={longest} until={longest?.until ?? at} />
          <Figure
            name={words.cost}
            unit={spent.units === null ? undefined : words.costUnits(spent.units)}
            title={words.costSince}
          >
            {words.costRequests(spent.requests)}
          </Figure>
        </dl>
        <p className={`${figureStyles.note} faint`}>
          {words.observed(observedMs, at - since)}
          {answer.watched !== null && ` · ${words.watchedFrom(answer.watched)}`}
        </p>
      </section>
    </>
  )
}

/** Nothing is known of a stale store after its last reading. */
function seenAt({ at, stores }: Stats, brief: LockBrief | null): number {
  const store = stores.find(({ storeId }) => storeId === brief?.storeId)
  return store && isOld(store) ? (store.asOf ?? at) : at
}

type BriefProps = { readonly name: string; readonly brief: LockBrief | null; readonly until: number }

function BriefFigure({ name, brief, until }: BriefProps) {
  if (!brief)
    return (
      <Figure name={name}>
        <span className="faint">{t.stats.none}</span>
      </Figure>
    )
  const { storeId, id, key, holder, since, exact } = brief
  return (
    <Figure name={name} className={figureStyles.lock}>
      {t.stats.tenureLength(until - since, exact)}{' '}
      <Button
        look="link"
        className={`mono clip ${figureStyles.unit}`}
        title={`${shownText(key)} · ${shownText(holder, 120)}`}
        disabled={id === null}
        onClick={() => id !== null && inspect({ storeId, id })}
      >
        {shownText(key, 120)}
      </Button>
    </Figure>
  )
}

const SHOWN = 6

type GroupProps = {
  readonly title: string
  readonly groups: Groups
  readonly say?: (name: string) => string
}

/** The largest groups, each with a bar in proportion to the first. */
export function GroupList({ title, groups, say = name => shownText(name, 120) }: GroupProps) {
  const { top, others } = topGroups(groups, SHOWN)
  const most = top[0]?.count ?? 1
  return (
    <Card label={title}>
      <h2>{title}</h2>
      {top.length === 0 && <p className={`${cardStyles.note} faint`}>{t.stats.noGroups}</p>}
      <ol className={styles.groups}>
        {top.map(({ name, count }) => (
          <li key={name} title={say(name)}>
            <span className="clip">{say(name)}</span>
            <span className="number">{t.number(count)}</span>
            <span className={styles.groupBar} style={{ transform: `scaleX(${count / most})` }} />
          </li>
        ))}
      </ol>
      {others.names > 0 && (
        <p className={`${cardStyles.note} faint`}>{t.stats.others(others.names, others.count)}</p>
      )}
    </Card>
  )
}

type HistogramProps = {
  readonly name: string
  readonly title: string
  readonly histogram: Histogram
  readonly empty: string
  /** Labels the tenures that could not be measured. */
  readonly unmeasured: string
}

export function HistogramChart({ name, title, histogram, empty, unmeasured }: HistogramProps) {
  const buckets = bucketsOf(histogram)
  const most = Math.max(1, ...histogram.counts)
  const filled = buckets.filter(({ count }) => count > 0)
  const said = filled.map(({ label, count }) => t.stats.valueOf(label, t.number(count)))
  const unknown = histogram.unknown > 0 ? [{ label: unmeasured, count: histogram.unknown }] : []
  return (
    <ChartFrame
      name={name}
      title={title}
      chart={
        <div>
          <div
            className={styles.histogram}
            role="img"
            aria-label={filled.length === 0 ? empty : t.stats.histogramSaid(title, said)}
          >
            {buckets.map(({ label, count }) => (
              <div key={label} className={styles.bucket} title={t.stats.valueOf(label, t.number(count))}>
                <span className={`${styles.bucketCount} number`}>
                  {count > 0 ? t.stats.axisValue(count) : ''}
                </span>
                <span className={styles.bucketBar} style={{ height: `${(count / most) * 72}px` }} />
                <span className={styles.bucketLabel}>{label}</span>
              </div>
            ))}
          </div>
          <p className={`${cardStyles.note} faint`}>
            {filled.length + unknown.length === 0 && empty}
            {unknown.map(({ label, count }) => t.stats.valueOf(label, t.number(count)))}
          </p>
        </div>
      }
      table={
        <LongTable
          caption={title}
          rows={[...buckets, ...unknown]}
          keyOf={({ label }) => label}
          columns={[
            [t.stats.bucket, ({ label }) => label, 'head'],
            [t.stats.locks, ({ count }) => t.number(count)],
          ]}
        />
      }
    />
  )
}

function bucketsOf({ edges, counts }: Histogram): { label: string; count: number }[] {
  return counts.map((count, i) => {
    const edge = edges[i]
    const label =
      edge === undefined
        ? t.stats.atLeast(t.stats.edge(edges.at(-1) ?? 0))
        : t.stats.below(t.stats.edge(edge))
    return { label, count }
  })
}

export function StoresTable({ stores, at }: { readonly stores: readonly StoreStats[]; readonly at: number }) {
  const words = t.stats
  const columns = words.storeColumns
  const sayOldest = ({ oldest, asOf }: StoreStats) =>
    oldest ? words.tenureLength((asOf ?? at) - oldest.since, oldest.exact) : words.none
  const sayCost = ({ requests, units }: StoreStats['spent']) =>
    [words.costRequests(requests), ...(units === null ? [] : [words.costUnits(units)])].join(', ')
  return (
    <Card label={words.stores} titled>
      <LongTable
        caption={words.stores}
        rows={stores}
        keyOf={({ storeId }) => storeId}
        columns={[
          [columns.store, ({ name }) => shownText(name, 80), 'head'],
          [columns.status, sayStatus],
          [columns.active, ({ active }) => t.number(active)],
          [columns.stored, ({ total }) => t.number(total)],
          [columns.oldest, sayOldest],
          [columns.offset, ({ offsetMs }) => words.offset(offsetMs)],
          [columns.scan, ({ scanMs, scanned }) => words.scan(scanMs, scanned)],
          [columns.cost, ({ spent }) => sayCost(spent)],
        ]}
      />
    </Card>
  )
}

function sayStatus({ status, asOf }: StoreStats): string {
  const word = t.stats.statuses[status]
  if (status === 'live') return word
  return `${word}, ${asOf === null ? t.status.notYet : t.status.asOf(asOf)}`
}
