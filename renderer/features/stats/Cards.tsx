import { type Groups, type Histogram, type StoreStats, topGroups } from '../../../shared/stats.ts'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { ChartFrame } from './ChartFrame.tsx'
import styles from './Stats.module.css'

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
  /** The name of those that could not be measured. */
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
        <NumberTable
          caption={title}
          head={[t.stats.bucket, t.stats.locks]}
          rows={[...buckets, ...unknown].map(({ label, count }) => ({
            id: label,
            cells: [label, t.number(count)],
          }))}
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
  return (
    <Card label={words.stores} titled>
      <NumberTable
        caption={words.stores}
        head={Object.values(words.storeColumns)}
        rows={stores.map(store => ({
          id: store.storeId,
          cells: [
            shownText(store.name, 80),
            sayStatus(store),
            t.number(store.active),
            t.number(store.total),
            store.oldest
              ? words.tenureLength((store.asOf ?? at) - store.oldest.since, store.oldest.exact)
              : words.none,
            words.offset(store.offsetMs),
            words.scan(store.scanMs, store.scanned),
            store.spent.units === null
              ? words.costRequests(store.spent.requests)
              : `${words.costRequests(store.spent.requests)}, ${words.costUnits(store.spent.units)}`,
          ],
        }))}
      />
    </Card>
  )
}

function sayStatus({ status, asOf }: StoreStats): string {
  const word = t.stats.statuses[status]
  if (status === 'live') return word
  return `${word}, ${asOf === null ? t.status.notYet : t.status.asOf(asOf)}`
}
